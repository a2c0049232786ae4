package io.sagaspring.saga;

import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.RunReply;
import io.sagaspring.run.Runs;
import io.sagaspring.run.SignalResult;
import io.sagaspring.run.StoredValue;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Delivers callbacks and signals to waiting steps, and reports the result. */
final class Callbacks {

    private final Runs runs;
    private final ExecutionReader histories;
    private final SagaTools tools;

    Callbacks(Runs runs, ExecutionReader histories, SagaTools tools) {
        this.runs = runs;
        this.histories = histories;
        this.tools = tools;
    }

    @Nullable
    JsonNode tree(@Nullable Object payload) {
        try {
            return tools.json().tree(payload);
        } catch (JacksonException refused) {
            throw unwritable(refused.getOriginalMessage(), refused);
        } catch (StackOverflowError endless) {
            throw unwritable("it is nested too deeply, or contains itself", endless);
        }
    }

    private static PayloadException unwritable(String why, Throwable cause) {
        return new PayloadException(
                "The value for the step cannot be written as JSON: %s. Send a smaller or simpler value.".formatted(why),
                cause);
    }

    /**
     * Returns the callback in its stored form. If the callback reports an error that is too large or too deeply nested,
     * the callback is rejected here, because the decision about that error could not be journaled later.
     */
    private StoredValue stored(Callback callback) {
        StepError error = callback.error();
        if (error != null) {
            JsonNode decided = tree(new Decision(
                    Decision.Next.GIVE_UP,
                    Durations.bounded(Duration.ofSeconds(Long.MAX_VALUE)),
                    error,
                    Integer.MAX_VALUE));
            StoredValue unused = runs.payloads().writeGiven(decided);
        }
        return runs.payloads().writeGiven(tree(callback));
    }

    CallbackResult submit(StepCallback to, @Nullable String key, Callback callback) {
        if (to.isSkipped()) {
            return CallbackResult.tooLate("Step '%s' is not executed because its condition did not hold."
                    .formatted(to.step().name()));
        }
        return switch (reply(to, key, callback)) {
            case ACCEPTED -> CallbackResult.APPLIED;
            case REPEATED -> CallbackResult.tooLate("A callback with this key has already been accepted.");
            case TOO_LATE -> CallbackResult.tooLate(whyTooLate(to));
        };
    }

    SignalResult reply(StepCallback to, @Nullable String key, Callback callback) {
        PlannedStep<?> step = to.step();
        String id = JournalNames.awaited(step, to.attempt());
        SignalResult answer =
                runs.reply(to.execution(), new RunReply(id, step.name(), key, stored(callback), callback.endsWait()));
        if (answer == SignalResult.ACCEPTED && callback.endsWait()) {
            SagaEvent.Kind kind = step.kind() == PlannedStep.Kind.SIGNAL
                    ? SagaEvent.Kind.SIGNAL_RECEIVED
                    : callback.isFailure() ? SagaEvent.Kind.STEP_FAILED_ASYNC : SagaEvent.Kind.STEP_COMPLETED_ASYNC;
            SagaEvent event = SagaEvent.ofStep(
                    kind, to.execution(), to.saga(), step.name(), to.attempt(), to.waited(), callback.error());
            tools.runs().notifyInTenantOf(to.run(), () -> tools.notifier().publish(event));
        }
        return answer;
    }

    CallbackResult heartbeat(StepCallback of) {
        StepHistory step = histories.require(of.execution()).of(of.step());
        boolean isAwaited = step.attempt() <= of.attempt() && !step.isOver();
        return isAwaited
                        && tools.runs()
                                .note(
                                        of.execution(),
                                        JournalNames.heartbeat(of.step().name(), of.attempt()),
                                        "")
                ? CallbackResult.APPLIED
                : CallbackResult.tooLate(whyTooLate(of));
    }

    /** Returns the reason why a callback was not applied, as far as the journal shows it. */
    private String whyTooLate(StepCallback to) {
        ExecutionHistory now = histories.require(to.execution());
        StepHistory step = now.of(to.step());
        return step.attempt() > to.attempt()
                ? "Attempt %d of step '%s' has ended. The latest attempt is %d."
                        .formatted(to.attempt(), to.step().name(), step.attempt())
                : "Step '%s' no longer accepts this callback: the step is %s, and the execution is %s."
                        .formatted(
                                to.step().name(),
                                step.view().state().text(),
                                now.state().text());
    }
}
