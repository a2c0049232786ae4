package io.sagaspring.run;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.postgres.PostgresRunStore;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.shop.Statements;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Compares the statements of a node without queues, schedules and other options with a file. If an application uses
 * none of these options, they add no statement and no text to a statement.
 */
class RunStatementsTests extends RunsOnPostgres {

    private static final Path EXPECTED = Path.of("src/test/resources/io/sagaspring/run/statements.txt");
    private static final Pattern NAME = Pattern.compile("/\\* saga:(\\S+) \\*/");

    private final Queue<String> sent = new ConcurrentLinkedQueue<>();

    private RunNode recordedNode(Tale tale) {
        Interference interference = new Interference();
        interference.with(new Around() {
            @Override
            public void before(String sql, Connection connection) {
                if (Statements.isOf(sql, "run") || Statements.isOf(sql, "queue")) {
                    sent.add(sql);
                }
            }
        });
        DataSource watched = interference.watched(connections);
        OwnTransactions own = new OwnTransactions(watched);
        // Each change has a commit of its own, so that the statements do not depend on what happens at the same time.
        PostgresRunStore store = new PostgresRunStore(
                schema, "node", own, watched, Duration.ofSeconds(30), Duration.ofDays(30), Commits.SEPARATE);
        JdbcTransactionManager transactions = new JdbcTransactionManager(watched);
        Keeper keeper = new Keeper(connections, Duration.ofSeconds(10), ElapsedClock.OF_THIS_MACHINE);
        return added(RunNode.over(store, new SpringStepTransactions(() -> transactions, watched, own), keeper)
                .poll(Duration.ofMillis(20))
                .tales(tale));
    }

    private static String nameOf(String sql) {
        Matcher name = NAME.matcher(sql);
        assertThat(name.find()).isTrue();
        return name.group(1);
    }

    @Test
    void aRunWithoutOptionsSendsTheStatementsOfTheFile() throws Exception {
        RunNode node = recordedNode(tale((run, input) -> {
            run.step("one", () -> effect("one"));
            run.step("two", () -> effect("two"));
            String signal = run.awaitSignal("signal", String.class);
            return run.step("three", String.class, () -> effect(signal));
        }));
        node.opened();
        RunHandle<String> started = node.runs.start(Tale.class, "input");
        awaitState(node, started.id(), RunState.WAITING);
        assertThat(node.runs.signal(started.id(), "signal", "three")).isEqualTo(SignalResult.ACCEPTED);
        assertThat(started.await(SOON)).isEqualTo("three");
        // The first call may learn of the end without a query. The second one reads the run.
        assertThat(started.await(SOON)).isEqualTo("three");

        Map<String, String> texts = new TreeMap<>();
        sent.forEach(sql ->
                texts.merge(nameOf(sql), sql.strip(), (one, other) -> one.length() >= other.length() ? one : other));
        String written = texts.values().stream().collect(joining("\n\n", "", "\n"));

        assertThat(written).isEqualTo(Files.readString(EXPECTED));
    }

    @Test
    void anIdleNodeOnlyLooksForDueRuns() {
        RunNode node = recordedNode(tale((run, input) -> input)).opened();
        await().atMost(SOON).until(() -> sent.size() > 10);
        node.engine.stop();

        assertThat(sent.stream().map(RunStatementsTests::nameOf).distinct()).containsExactly("run.look");
    }

    @Test
    void aRunWithTwoStepsSendsThreeStatements() throws Exception {
        RunNode node = recordedNode(tale((run, input) -> {
            run.step("one", () -> effect("one"));
            run.step("two", () -> effect("two"));
            return input;
        }));
        node.opened();
        assertThat(node.runs.start(Tale.class, "input").await(SOON)).isEqualTo("input");

        assertThat(sent.stream().map(RunStatementsTests::nameOf).filter(name -> !name.matches("run\\.(look|find)")))
                .containsExactly("run.start", "run.checkpoint", "run.end");
    }

    @Test
    void aCallLikeAMethodSendsTheStatementsOfAStartAndNoQuery() throws Exception {
        RunNode node = recordedNode(tale((run, input) -> {
            run.step("one", () -> effect("one"));
            run.step("two", () -> effect("two"));
            return input;
        }));
        node.opened();
        assertThat(node.runs.execute(Tale.class, "input")).isEqualTo("input");

        assertThat(sent.stream().map(RunStatementsTests::nameOf).filter(name -> !name.equals("run.look")))
                .containsExactly("run.start", "run.checkpoint", "run.end");
    }
}
