package io.sagaspring.test.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sagaspring.run.InvalidNameException;
import io.sagaspring.run.Labels;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.StepState;
import io.sagaspring.saga.StepView;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Tests which code of a saga may set labels, when they are set, and that they are not taken for entries of a step. */
@SagaTest(
        sagas = {
            StepLabelsTests.Careful.class,
            StepLabelsTests.Mailing.class,
            StepLabelsTests.Waiting.class,
            StepLabelsTests.Confusing.class
        })
class StepLabelsTests {

    @Autowired
    SagaScenario scenario;

    /** Its second step sets the last name that is allowed, and then one more. */
    static class Careful implements Saga<String> {

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("first", context -> {
                for (int each = 1; each < Labels.MOST; each++) {
                    context.label("name-" + each, "value");
                }
                return "first";
            });
            saga.step("second", context -> {
                context.label("last", "value");
                assertThatExceptionOfType(InvalidNameException.class)
                        .isThrownBy(() -> context.label("one-too-many", "value"))
                        .withMessageContaining("at most 20 are allowed");
                context.label("last", "other");
                return "second";
            });
        }
    }

    static class Mailing implements Saga<String> {

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("mail", context -> {
                        assertThatIllegalStateException()
                                .isThrownBy(() -> context.label("sent", "yes"))
                                .withMessageContaining("Step 'mail' cannot set the label 'sent'");
                        return "sent";
                    })
                    .fireAndForget();
        }
    }

    static class Waiting implements Saga<String> {

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("ship", context -> {
                        context.label("carrier", context.input());
                        return "asked";
                    })
                    .async()
                    .timeout(Duration.ofHours(1));
        }
    }

    /** The journal's entries of its labels have the same names as entries of its steps. */
    static class Confusing implements Saga<String> {

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("first", context -> {
                context.label("undo", context.input());
                return "first";
            });
            saga.waitForSignal("go");
            saga.step("label", context -> "second").compensate(context -> {});
        }
    }

    @Test
    void aStepFailsWhenItSetsOneLabelTooMany() {
        SagaExecution careful = scenario.given(Careful.class, "any").whenStarted();

        careful.then().isCompleted().hasLabel("last", "other");
        assertThat(careful.view().labels()).hasSize(Labels.MOST).doesNotContainKey("one-too-many");
    }

    @Test
    void aFireAndForgetStepSetsNoLabel() {
        SagaExecution mailing =
                scenario.given(Mailing.class, "any").whenStarted().runWhatIsDue();

        assertThat(step(mailing, "mail").state()).isEqualTo(StepState.COMPLETED);
        assertThat(mailing.view().labels()).isEmpty();
    }

    @Test
    void aStepThatWaitsForItsCallbackHasSetItsLabels() {
        SagaExecution waiting = scenario.given(Waiting.class, "dhl").whenStarted();

        waiting.then().isWaiting().hasLabel("carrier", "dhl");
    }

    @Test
    void theEntryOfALabelIsNoEntryOfAStep() {
        SagaExecution confusing = scenario.given(Confusing.class, "no").whenStarted();
        Instant before = Objects.requireNonNull(step(confusing, "go").startedAt());
        confusing.timePasses(Duration.ofHours(1)).signalled("go", null);

        confusing.then().isCompleted();
        assertThat(confusing.view().labels()).isEqualTo(Map.of("undo", "no"));
        assertThat(step(confusing, "label").state()).isEqualTo(StepState.COMPLETED);
        assertThat(step(confusing, "label").startedAt()).isAfterOrEqualTo(before.plus(Duration.ofHours(1)));
    }

    private static StepView step(SagaExecution execution, String name) {
        return execution.view().steps().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
