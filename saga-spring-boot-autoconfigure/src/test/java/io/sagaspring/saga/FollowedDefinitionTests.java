package io.sagaspring.saga;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.tenant.Tenants;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Tests that an execution never continues with another definition than the one with which it has begun. The entry that
 * names the definition costs no commit of its own, because the start of the execution names it, too.
 */
class FollowedDefinitionTests extends SagasOnPostgres {

    private final JdbcClient database = JdbcClient.create(connections);

    private void before(SagaDefinition<Order> saga) {
        saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
    }

    private void after(SagaDefinition<Order> saga) {
        saga.step("reserve", context -> effect("reserve"));
        saga.step("charge", context -> effect("charge"));
    }

    /** Returns a node that starts executions and leaves them to other nodes. */
    private SagaNode starter(Consumer<SagaDefinition<Order>> definition) {
        return added(new SagaNode(
                builder().slots(0),
                Tenants.none(),
                type -> Optional.empty(),
                event -> {},
                List.of(),
                new ScriptedOrder(definition)));
    }

    /** Makes an execution look as if a node had died in its first step. */
    private void dieInTheFirstStep(RunId id) {
        assertThat(database.sql("""
                        UPDATE saga_run SET state = 'running', node = 'dead', token = 1, attempts = 1,
                            due_at = now() - INTERVAL '1 second' WHERE id = ?""").param(id.value()).update()).isOne();
    }

    /** Returns the number of journal entries that are durable now. */
    private Object journaled() {
        return Objects.requireNonNull(
                database.sql("SELECT count(*) FROM saga_step").query(Long.class).single());
    }

    @Test
    @ExpectsErrors("The run was started with the definition")
    void anExecutionWhoseFirstStepMayHaveBegunIsBlockedByAnotherDefinition() {
        RunId id = start(starter(this::before));
        dieInTheFirstStep(id);

        SagaNode changed = node(this::after);
        awaitState(changed, id, RunState.BLOCKED);

        assertThat(effects).isEmpty();
        assertThat(changed.runs.find(id).orElseThrow().error())
                .contains("The run was started with the definition 'saga:")
                .contains("give this run up");
        changed.close();
        SagaNode same = node(this::before);
        assertThat(same.sagas.retry(id)).isTrue();
        awaitState(same, id, RunState.COMPLETED);
        assertThat(effects).containsExactly("charge");
    }

    @Test
    void anExecutionThatNoNodeHasBegunFollowsTheDefinitionOfItsNode() {
        RunId id = start(starter(this::before));

        SagaNode changed = node(saga -> {
            saga.step("count", context -> effect("entries: " + journaled()));
            after(saga);
        });
        awaitState(changed, id, RunState.COMPLETED);

        // The starter's definition was another one, so the node's own is durable before the first step begins.
        assertThat(effects).containsExactly("entries: 1", "reserve", "charge");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theDefinitionIsWrittenWithTheFirstResult(boolean deduped) {
        SagaNode node = node(saga -> {
            StepSpec<Order> first = saga.step("first", context -> effect("entries: " + journaled()));
            if (deduped) {
                StepSpec<Order> unused = first.dedupe();
            }
            saga.step("second", context -> effect("entries: " + journaled()));
        });

        awaitState(node, start(node), RunState.COMPLETED);

        assertThat(effects).containsExactly("entries: 0", "entries: 2");
        assertThat(journaled()).isEqualTo(3L);
    }

    @Test
    void aFirstStepThatMayHaveTakenEffectBeforeACrashIsCompensated() {
        Consumer<SagaDefinition<Order>> failing = saga -> saga.step("charge", context -> {
                    throw new IllegalStateException("no answer");
                })
                .compensate(context -> effect("refund"));
        RunId id = start(starter(failing));
        dieInTheFirstStep(id);

        awaitState(node(failing), id, RunState.FAILED);

        assertThat(effects).containsExactly("refund");
    }

    /** The journal is empty, and the next node stops the execution before it calls the step again. */
    @Test
    void aFirstStepThatMayHaveTakenEffectIsCompensatedIfTheExecutionIsCancelledAfterTheCrash() {
        SagaNode starter = starter(this::before);
        RunId id = start(starter);
        dieInTheFirstStep(id);
        assertThat(starter.sagas.cancel(id, "changed my mind")).isTrue();

        awaitState(node(this::before), id, RunState.CANCELLED);

        assertThat(effects).containsExactly("refund");
    }

    @Test
    @ExpectsErrors("it is unknown with which definition the run may have begun")
    void anExecutionWhoseFirstStepMayHaveBegunIsBlockedIfItsContextCannotBeRead() {
        RunId id = start(starter(this::before));
        dieInTheFirstStep(id);
        change(id, "carried = 'x'");

        awaitState(node(this::before), id, RunState.BLOCKED);

        assertThat(effects).isEmpty();
    }

    /** Otherwise the first step would never be compensated. */
    @Test
    @ExpectsErrors("The input of the run cannot be read")
    void anExecutionWhoseFirstStepMayHaveBegunIsNotCancelledWithoutItsInput() {
        SagaNode starter = starter(this::before);
        RunId id = start(starter);
        dieInTheFirstStep(id);
        change(id, "input = 'x'");
        assertThat(starter.sagas.cancel(id, "changed my mind")).isTrue();

        awaitState(node(this::before), id, RunState.BLOCKED);
    }

    @Test
    void theFirstStepBeginsBeforeItsEnd() {
        SagaNode node = node(this::before);
        RunId id = start(node);
        awaitState(node, id, RunState.COMPLETED);

        StepView charge = step(node, id, "charge");

        assertThat(charge.startedAt()).isBefore(charge.endedAt());
    }

    private void change(RunId id, String assignment) {
        assertThat(database.sql("UPDATE saga_run SET " + assignment + " WHERE id = ?")
                        .param(id.value())
                        .update())
                .isOne();
    }

    @Test
    void anExecutionThatIsCancelledBeforeItBeginsCompensatesNothing() {
        SagaNode starter = starter(this::before);
        RunId id = start(starter);
        assertThat(starter.sagas.cancel(id, "changed my mind")).isTrue();

        awaitState(node(this::before), id, RunState.CANCELLED);

        assertThat(effects).isEmpty();
    }

    @Test
    void aTransactionalFirstStepIsRolledBackWithoutTheDefinition() {
        SagaNode node = node(saga -> saga.step("first", context -> {
                    effects.add("entries: " + journaled());
                    if (context.attempt() == 1) {
                        throw new IllegalStateException("once");
                    }
                    return "done";
                })
                .dedupe()
                .retry(retry().max(2).delay(Duration.ZERO)));

        awaitState(node, start(node), RunState.COMPLETED);

        assertThat(effects).hasSize(2).startsWith("entries: 0");
    }
}
