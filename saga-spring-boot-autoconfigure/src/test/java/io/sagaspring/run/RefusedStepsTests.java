package io.sagaspring.run;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A retry policy that makes no sense is refused when its step is created. A run that calls a step twice fails, and a
 * run that calls a step in an endless loop is blocked.
 */
class RefusedStepsTests extends RunsOnPostgres {

    private static Step charge(Retry policy) {
        return Step.of("charge").retry(policy);
    }

    @Test
    void aStepThatMustNotBeRepeatedCannotHaveARetryPolicy() {
        assertThatThrownBy(() -> charge(retry()).notRepeatable())
                .hasMessage(
                        "Step 'charge' must not be repeated, but it has a retry policy. Remove the policy, or allow the step to be repeated.");
        assertThatThrownBy(() -> Step.of("charge").notRepeatable().retry(retry()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(Step.of("charge").notRepeatable().retry(retry().max(1)).id()).isEqualTo("charge");
    }

    @Test
    void theExceptionAboutAnInvalidPolicyNamesTheStep() {
        assertThatThrownBy(() -> charge(retry().max(0).delay(Duration.ofSeconds(-1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("charge")
                .hasMessageContaining("allows 0 attempts")
                .hasMessageContaining("negative");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @ExpectsErrors("Step 'charge' is called a third time")
    @SuppressWarnings("EmptyCatch")
    void aRunThatCallsAStepInAnEndlessLoopIsBlocked(boolean fails) throws Exception {
        Tale tale = tale((run, input) -> {
            while (true) {
                try {
                    run.step("charge", String.class, () -> {
                        if (fails) {
                            throw new IllegalStateException("busy");
                        }
                        return effect("done");
                    });
                } catch (RuntimeException caught) {
                }
            }
        });
        RunNode node = node(tale);
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        awaitState(node, handle.id(), RunState.BLOCKED);
        assertThat(node.runs.find(handle.id()).orElseThrow().error()).contains("Use Step.retry");

        tale.becomes((run, input) -> run.step(charge(retry()), String.class, () -> effect("done")));
        Passing.pauseOf(handle.id(), jdbc);

        assertThat(handle.await(SOON)).isEqualTo("done");
    }

    /** The blocked run is picked up again and again, and its completed step is replayed. */
    @Test
    @ExpectsErrors("Step 'wire' is called a third time")
    @SuppressWarnings("EmptyCatch")
    void aRunThatIsBlockedInALoopKeepsTheResultsOfItsSteps() {
        RunNode node = node(tale((run, input) -> {
            while (true) {
                try {
                    run.step(Step.of("wire").notRepeatable(), () -> effect("wire"));
                } catch (RuntimeException caught) {
                }
            }
        }));
        RunId id = node.runs.start(Tale.class, "").id();
        awaitState(node, id, RunState.BLOCKED);
        Passing.pauseOf(id, jdbc);
        await().atMost(SOON).until(() -> count(node, RunEvent.BLOCKED) >= 2);

        assertThat(stateOf(node, id)).isEqualTo(RunState.BLOCKED);
        assertThat(effects).containsExactly("wire");
    }

    @Test
    void aRunThatCallsAStepTwiceFails() {
        RunNode node = node(tale((run, input) -> {
            run.step("charge", () -> effect("charge"));
            run.step("charge", () -> effect("charge again"));
            return "";
        }));

        assertThatThrownBy(() -> node.runs.start(Tale.class, "").await(SOON))
                .hasMessageContaining("Step 'charge' occurs twice in this run");
        assertThat(effects).containsExactly("charge");
    }
}
