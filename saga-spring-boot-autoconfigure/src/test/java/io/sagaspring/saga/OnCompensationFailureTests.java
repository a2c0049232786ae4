package io.sagaspring.saga;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Tests which earlier steps are compensated after a compensation has failed. */
class OnCompensationFailureTests extends SagasOnPostgres {

    private final Set<String> broken = ConcurrentHashMap.newKeySet();

    private Consumer<SagaDefinition<Order>> fourSteps(OnCompensationFailure policy) {
        return saga -> {
            saga.onCompensationFailure(policy);
            for (String name : new String[] {"one", "two", "three", "four"}) {
                saga.step(name, context -> null).compensate(context -> {
                    effect("undo " + name + " " + context.attempt());
                    if (broken.contains(name)) {
                        throw new IllegalStateException(name + " is closed");
                    }
                });
            }
            saga.step("ship", context -> {
                throw new IllegalStateException("no courier");
            });
        };
    }

    private static String errorOfTheRun(SagaNode node, RunId id) {
        return Objects.requireNonNull(node.runs.find(id).orElseThrow().error());
    }

    @Test
    @ExpectsErrors("could not be compensated")
    void compensationStopsAtAFailureAndReportsTheUncompensatedSteps() {
        broken.add("three");
        SagaNode node = node(fourSteps(OnCompensationFailure.STOP));
        RunId id = start(node);
        awaitState(node, id, RunState.COMPENSATION_FAILED);

        assertThat(effects).containsExactly("undo four 1", "undo three 1");
        assertThat(errorOfTheRun(node, id))
                .contains(
                        "Step 'three' could not be compensated: ",
                        "three is closed",
                        "Compensation stopped there, so these earlier steps are not compensated: 'two', 'one'.");
        ExecutionView seen = node.sagas.find(id).orElseThrow();
        assertThat(seen.openCompensations()).containsExactly("three", "two", "one");
        assertThat(seen.steps())
                .extracting(StepView::state)
                .containsExactly(
                        StepState.COMPLETED,
                        StepState.COMPLETED,
                        StepState.COMPENSATING,
                        StepState.COMPENSATED,
                        StepState.FAILED);

        broken.clear();
        assertThat(node.sagas.retry(id)).isTrue();
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly("undo four 1", "undo three 1", "undo three 2", "undo two 1", "undo one 1");
        assertThat(node.sagas.find(id).orElseThrow().openCompensations()).isEmpty();
    }

    @Test
    @ExpectsErrors("could not be compensated")
    void compensationContinuesPastFailuresAndARetryRepeatsOnlyFailedCompensations() {
        broken.add("four");
        broken.add("two");
        SagaNode node = node(fourSteps(OnCompensationFailure.CONTINUE));
        RunId id = start(node);
        awaitState(node, id, RunState.COMPENSATION_FAILED);

        assertThat(effects).containsExactly("undo four 1", "undo three 1", "undo two 1", "undo one 1");
        assertThat(errorOfTheRun(node, id))
                .contains("Step 'four' could not be compensated", "Step 'two' could not be compensated")
                .contains("four is closed", "two is closed")
                .doesNotContain("Compensation stopped");
        ExecutionView seen = node.sagas.find(id).orElseThrow();
        assertThat(seen.openCompensations()).containsExactly("four", "two");
        assertThat(seen.steps())
                .extracting(StepView::state)
                .containsExactly(
                        StepState.COMPENSATED,
                        StepState.COMPENSATING,
                        StepState.COMPENSATED,
                        StepState.COMPENSATING,
                        StepState.FAILED);

        broken.remove("four");
        assertThat(node.sagas.retry(id)).isTrue();
        awaitState(node, id, RunState.COMPENSATION_FAILED);
        assertThat(node.sagas.find(id).orElseThrow().openCompensations()).containsExactly("two");

        broken.clear();
        assertThat(node.sagas.retry(id)).isTrue();
        awaitState(node, id, RunState.FAILED);

        assertThat(effects.subList(4, effects.size())).containsExactly("undo four 2", "undo two 2", "undo two 3");
        assertThat(Objects.requireNonNull(node.sagas.find(id).orElseThrow().cause())
                        .step())
                .isEqualTo("ship");
    }
}
