package io.sagaspring.run;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Interference.Around;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** If no step of a run fails, a node sends the same statements with retry policies as without retry policies. */
class PolicyStatementsTests extends RunsOnPostgres {

    private static final Pattern NAME = Pattern.compile("/\\* saga:(run\\.[a-z-]+) \\*/");

    /** Returns the statements about runs that a node sends for one run with steps of both kinds. */
    private List<String> statements(UnaryOperator<Step> policy) {
        List<String> sent = new CopyOnWriteArrayList<>();
        Interference interference = new Interference();
        RunNode node = added(RunNode.on(schema, interference.watched(connections), "node-" + nodes.size())
                .inline()
                .tales(tale((run, input) -> {
                    run.step(policy.apply(Step.of("one")), () -> effect("one"));
                    run.transactionalStep(policy.apply(Step.of("two")), Void.class, () -> null);
                    run.step(policy.apply(Step.of("three")), () -> effect("three"));
                    return "done";
                })));
        interference.with(new Around() {
            @Override
            public void before(String sql, Connection connection) {
                if (NAME.matcher(sql).find()) {
                    sent.add(sql);
                }
            }
        });
        RunId id = node.runs.start(Tale.class, "").id();
        int unused = node.engine.sweep();
        interference.none();
        assertThat(stateOf(node, id)).isEqualTo(RunState.COMPLETED);
        return sent;
    }

    @Test
    void aNodeWithoutATimeoutHasNoThreadForTimeouts() {
        Set<Thread> before = timers();

        List<String> unused = statements(step -> step.retry(retry().max(5)));

        assertThat(timers()).isSubsetOf(before);
    }

    private static Set<Thread> timers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("saga-timeout-"))
                .collect(Collectors.toSet());
    }

    private static String nameOf(String sql) {
        Matcher name = NAME.matcher(sql);
        return name.find() ? name.group(1) : "";
    }

    @Test
    void aRetryPolicyThatIsNotNeededAddsNoStatement() {
        List<String> without = statements(step -> step);

        assertThat(without.stream().map(PolicyStatementsTests::nameOf))
                .containsExactly("run.start", "run.pick", "run.checkpoint", "run.checkpoint", "run.end");
        assertThat(statements(step -> step.retry(retry().max(5)).timeout(Duration.ofMinutes(1))))
                .isEqualTo(without);
    }
}
