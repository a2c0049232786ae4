package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sagaspring.run.RunEngine.NamedStart;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the start of several runs in one call, by the names of their code. */
class StartsTogetherTests extends RunsOnPostgres {

    private static NamedStart named(String run, String key) {
        return new NamedStart(run, "input of " + key, RunOptions.withKey(key));
    }

    private static List<NamedStart> tales(String... keys) {
        return Stream.of(keys).map(key -> named("tale", key)).toList();
    }

    @Test
    void runsStartTogetherWithOneStatementIfTheTransactionCommits() {
        RunNode node = node(tale((run, input) -> {
            run.step("note", () -> effect(input));
            return "";
        }));

        List<RunHandle<?>> started = transaction.execute(status -> {
            List<RunHandle<?>> handles = node.engine.startNamed(tales("a", "b", "c"));
            // The rows of one statement have the same command number.
            assertThat(jdbc.sql("SELECT count(DISTINCT cmin::text) FROM saga_run")
                            .query(Integer.class)
                            .single())
                    .isOne();
            return handles;
        });

        assertThat(started).isNotNull().hasSize(3).allMatch(RunHandle::isNew);
        started.forEach(each -> awaitState(node, each.id(), RunState.COMPLETED));
        assertThat(effects).containsExactlyInAnyOrder("input of a", "input of b", "input of c");
    }

    @Test
    void noneOfTheRunsStartsIfTheTransactionRollsBack() {
        RunNode node = node(tale((run, input) -> effect(input)));

        transaction.executeWithoutResult(status -> {
            assertThat(node.engine.startNamed(tales("a", "b"))).hasSize(2);
            status.setRollbackOnly();
        });

        assertThat(node.runs.find(Tale.class, "a")).isEmpty();
        assertThat(node.runs.find(Tale.class, "b")).isEmpty();
    }

    @Test
    void anExistingRunIsReturnedAtItsPlaceInTheList() {
        RunNode node = node(tale((run, input) -> effect(input)));
        RunId existing = node.engine.startNamed(tales("b")).get(0).id();

        List<RunHandle<?>> started = transaction.execute(status -> node.engine.startNamed(tales("a", "b", "c")));

        assertThat(started).isNotNull().extracting(RunHandle::isNew).containsExactly(true, false, true);
        assertThat(started.get(1).id()).isEqualTo(existing);
    }

    /** A statement for many runs has no place for the kind of a key. */
    @Test
    void runsWithOpenKeysKeepTheKindOfTheirKeys() {
        RunNode node = quietNode(tale((run, input) -> effect(input)));
        List<NamedStart> open = Stream.of("a", "b", "a")
                .map(key ->
                        new NamedStart("tale", "input", RunOptions.withKey(key).whileOpen()))
                .toList();

        List<RunHandle<?>> started = transaction.execute(status -> node.engine.startNamed(open));

        assertThat(started).isNotNull().extracting(RunHandle::isNew).containsExactly(true, true, false);
        assertThat(started.get(2).id()).isEqualTo(started.get(0).id());
        assertThat(jdbc.sql("SELECT key_kind FROM saga_run").query(String.class).list())
                .containsExactly("open", "open");
    }

    @Test
    void noRunStartsIfTheNodeLacksTheCodeOfOneRun() {
        RunNode node = node(tale((run, input) -> effect(input)));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.startNamed(List.of(named("tale", "a"), named("other", "b"))))
                .withMessageContaining("no code for the run 'other'");

        assertThat(node.runs.find(Tale.class, "a")).isEmpty();
    }
}
