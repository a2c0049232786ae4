package io.sagaspring.saga;

import io.sagaspring.run.RunContext;
import io.sagaspring.run.Step;
import io.sagaspring.run.StepFailedException;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Calls the bodies of one execution: within their time, with what surrounds them, and in words where they fail. */
final class StepInvoker {

    private final String saga;
    private final RunContext run;
    private final SagaTools tools;

    StepInvoker(String saga, RunContext run, SagaTools tools) {
        this.saga = saga;
        this.run = run;
        this.tools = tools;
    }

    /**
     * What is to be called.
     *
     * @param id what the journal calls it
     * @param context of the attempt
     * @param isDeduped whether it is committed with its result
     * @param retry decides whether its failures are covered
     * @param timeout after which it is interrupted, or null
     * @param whenDone what is told of it when it has returned
     */
    record Call(
            String id,
            AttemptContext<?> context,
            boolean isDeduped,
            Retry retry,
            @Nullable Duration timeout,
            SagaEvent.Kind whenDone) {}

    /** What it returned, unless it was called before: then what it returned then. */
    JsonNode call(Call call, Callable<? extends @Nullable Object> body) {
        Attempt attempt = new Attempt(call, body, run.mayHaveBegun());
        if (call.isDeduped() && !run.isReplaying()) {
            // What a listener does must not be part of the body's transaction.
            attempt.tellBegun();
        }
        try {
            JsonNode result = (JsonNode) Objects.requireNonNull(
                    call.isDeduped()
                            ? run.transactionalStep(Step.of(call.id()), (Type) JsonNode.class, attempt)
                            : run.step(Step.of(call.id()), (Type) JsonNode.class, attempt));
            attempt.tell(call.whenDone(), null);
            return result;
        } catch (StepFailedException failed) {
            StepError error = StepFailure.wordsOf(failed, tools.json()).error();
            attempt.tell(error.isTimeout() ? SagaEvent.Kind.STEP_TIMEOUT : SagaEvent.Kind.STEP_FAILED, error);
            throw failed;
        }
    }

    /** Told of it is only what happens now, and not what is read from the journal. */
    private final class Attempt implements Callable<JsonNode> {

        private final Call call;
        private final Callable<? extends @Nullable Object> body;
        private final boolean mayHaveBegunBefore;
        private long begun;
        private boolean isLive;

        Attempt(Call call, Callable<? extends @Nullable Object> body, boolean mayHaveBegunBefore) {
            this.call = call;
            this.body = body;
            this.mayHaveBegunBefore = mayHaveBegunBefore;
        }

        @Override
        public JsonNode call() throws StepFailure {
            if (!call.isDeduped()) {
                tellBegun();
            }
            isLive = true;
            begun = System.nanoTime();
            return tree(result());
        }

        private @Nullable Object result() throws StepFailure {
            try {
                return tools.timeouts()
                        .within(call.timeout(), () -> tools.surroundings().around(saga, call.context(), body));
            } catch (StackOverflowError failed) {
                throw failed(failed);
            } catch (VirtualMachineError fatal) {
                throw fatal;
            } catch (Timeouts.TooLateException late) {
                throw failure(new StepError(StepError.TIMEOUT, late.getMessage()), true, true, late);
            } catch (Throwable failed) {
                throw failed(failed);
            }
        }

        private StepFailure failed(Throwable failed) {
            StepError error = new StepError(failed.getClass().getName(), failed.getMessage());
            return failure(error, call.retry().covers(failed), mayHaveBegunBefore, failed);
        }

        /** It took effect, whatever becomes of what it says about that. */
        private JsonNode tree(@Nullable Object result) throws StepFailure {
            try {
                return StepResult.journaled(
                        tools.json().treeOf(result),
                        Objects.requireNonNullElse(call.context().put(), Map.of()));
            } catch (JacksonException | StackOverflowError unwritable) {
                String message = "What it returned cannot be written as JSON: " + unwritable.getMessage();
                throw failure(new StepError(StepError.CONTEXT, message), false, true, unwritable);
            }
        }

        private StepFailure failure(StepError error, boolean retried, boolean maybe, Throwable cause) {
            return new StepFailure(
                    new StepFailure.Words(error, retried, maybe, JournaledCause.linesOf(cause)), tools.json(), cause);
        }

        void tellBegun() {
            told(SagaEvent.Kind.STEP_STARTED, null, null);
        }

        void tell(SagaEvent.Kind kind, @Nullable StepError error) {
            if (isLive) {
                told(kind, Duration.ofNanos(System.nanoTime() - begun), error);
            }
        }

        private void told(SagaEvent.Kind kind, @Nullable Duration took, @Nullable StepError error) {
            AttemptContext<?> context = call.context();
            tools.watch()
                    .tell(SagaEvent.ofStep(
                            kind, context.execution(), saga, context.step(), context.attempt(), took, error));
        }
    }
}
