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

/** Says to waiting steps what somebody has to say, and tells what became of it. */
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
                "What a step is told cannot be written as JSON: %s. Send less, or in another shape.".formatted(why),
                cause);
    }

    /** Makes a value that the journal accepts: the failure's outcome is journaled with it and must not be refused. */
    private StoredValue stored(Callback said) {
        StepError error = said.error();
        if (error != null) {
            JsonNode decided = tree(new Decision(
                    Decision.Next.GIVE_UP,
                    Durations.bounded(Duration.ofSeconds(Long.MAX_VALUE)),
                    error,
                    Integer.MAX_VALUE));
            StoredValue unused = runs.payloads().writeGiven(decided);
        }
        return runs.payloads().writeGiven(tree(said));
    }

    CallbackResult say(StepCallback to, @Nullable String key, Callback said) {
        if (to.isSkipped()) {
            return CallbackResult.tooLate("Step '%s' is not run: its condition did not hold."
                    .formatted(to.step().name()));
        }
        return switch (answer(to, key, said)) {
            case ACCEPTED -> CallbackResult.APPLIED;
            case REPEATED -> CallbackResult.tooLate("It was said before.");
            case TOO_LATE -> CallbackResult.tooLate(whyNot(to));
        };
    }

    SignalResult answer(StepCallback to, @Nullable String key, Callback said) {
        PlannedStep<?> step = to.step();
        String id = JournalNames.awaited(step, to.attempt());
        SignalResult answer =
                runs.reply(to.execution(), new RunReply(id, step.name(), key, stored(said), said.isLast()));
        if (answer == SignalResult.ACCEPTED && said.isLast()) {
            SagaEvent.Kind kind = step.kind() == PlannedStep.Kind.SIGNAL
                    ? SagaEvent.Kind.SIGNAL_RECEIVED
                    : said.isFailure() ? SagaEvent.Kind.STEP_FAILED_ASYNC : SagaEvent.Kind.STEP_COMPLETED_ASYNC;
            tools.watch()
                    .tell(SagaEvent.ofStep(
                            kind, to.execution(), to.saga(), step.name(), to.attempt(), to.waited(), said.error()));
        }
        return answer;
    }

    CallbackResult heartbeat(StepCallback of) {
        StepHistory step = histories.require(of.execution()).of(of.step());
        boolean isAwaited = step.attempt() <= of.attempt() && !step.isOver();
        return isAwaited
                        && tools.store()
                                .note(
                                        of.execution(),
                                        JournalNames.heartbeat(of.step().name(), of.attempt()),
                                        "")
                ? CallbackResult.APPLIED
                : CallbackResult.tooLate(whyNot(of));
    }

    /** As far as that can be told afterwards. */
    private String whyNot(StepCallback to) {
        ExecutionHistory now = histories.require(to.execution());
        StepHistory step = now.of(to.step());
        return step.attempt() > to.attempt()
                ? "Attempt %d of step '%s' is over: attempt %d is under way."
                        .formatted(to.attempt(), to.step().name(), step.attempt())
                : "Step '%s' is not waited for: it is %s, and the execution is %s."
                        .formatted(
                                to.step().name(),
                                step.view().state().text(),
                                now.state().text());
    }
}
