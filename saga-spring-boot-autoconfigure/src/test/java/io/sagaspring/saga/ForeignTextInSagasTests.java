package io.sagaspring.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests that text from a callback or a person cannot start a new line in the log. */
@ExtendWith(OutputCaptureExtension.class)
class ForeignTextInSagasTests extends SagasOnPostgres {

    private static final String FORGED = "no funds\n2026-11-23 INFO admin logged in\u001b[31m";
    private static final String ONE_LINE = "no funds\\n2026-11-23 INFO admin logged in\\u001b[31m";

    @Test
    void theMessageOfAFailedCallbackIsLoggedInOneLine(CapturedOutput output) throws Exception {
        SagaNode node = node(saga -> saga.step("ship", context -> null).async().timeout(Duration.ofMinutes(5)));
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        node.sagas.callback(id, "ship").failForGood(new StepError("courier", FORGED));

        awaitState(node, id, RunState.FAILED);
        assertThat(step(node, id, "ship").error()).isEqualTo(new StepError("courier", FORGED));
        // The line is logged after the commit.
        await().atMost(SOON).until(() -> output.getOut().contains("courier: "));
        assertThat(output).contains("courier: " + ONE_LINE).doesNotContain("\n2026-11-23 INFO", "\u001b");
    }

    @Test
    void theReasonOfACancellationIsLoggedInOneLine(CapturedOutput output) {
        SagaNotifier notifier = new SagaNotifier(
                List.of(event -> {
                    throw new IllegalStateException("a listener that fails");
                }),
                List.of());

        notifier.publish(SagaEvent.ofExecution(
                SagaEvent.Kind.EXECUTION_CANCELLED,
                RunId.of(UUID.randomUUID().toString()),
                "checkout",
                Instant.now(),
                null,
                FORGED));

        assertThat(output).contains(ONE_LINE).doesNotContain("\n2026-11-23 INFO", "\u001b");
    }
}
