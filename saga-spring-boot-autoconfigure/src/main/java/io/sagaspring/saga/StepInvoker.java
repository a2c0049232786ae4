package io.sagaspring.saga;

import io.sagaspring.run.Retry;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.Step;
import io.sagaspring.run.StepFailedException;
import io.sagaspring.run.Timeouts;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Calls the code of an execution's steps, within their timeouts and through the interceptors. Journals failures as
 * text.
 */
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
     * The parameters of a call.
     *
     * @param id the name of the call in the journal
     * @param context the context of the attempt
     * @param isDeduped true if the code's writes and its result are committed together
     * @param retry the policy that decides which failures are retried
     * @param timeout the time after which the code is interrupted, or null
     * @param whenDone the kind of the event that is published after the code has returned
     */
    record Call(
            String id,
            AttemptContext<?> context,
            boolean isDeduped,
            Retry retry,
            @Nullable Duration timeout,
            SagaEvent.Kind whenDone) {}

    /**
     * Calls the code and returns its result. If the journal already has a result, the recorded result is returned
     * without calling the code.
     */
    JsonNode call(Call call, Callable<? extends @Nullable Object> code) {
        Attempt attempt = new Attempt(call, code, run.mayHaveBegun());
        if (call.isDeduped() && !run.isReplaying()) {
            // The event is published before the transaction begins, so that a listener's work is not part of the
            // transaction.
            attempt.publishStart();
        }
        try {
            JsonNode result = (JsonNode) Objects.requireNonNull(
                    call.isDeduped()
                            ? run.transactionalStep(Step.of(call.id()), (Type) JsonNode.class, attempt)
                            : run.step(Step.of(call.id()), (Type) JsonNode.class, attempt));
            attempt.publish(call.whenDone(), null);
            return result;
        } catch (StepFailedException failed) {
            StepError error = StepFailure.reportOf(failed, tools.json()).error();
            attempt.publish(error.isTimeout() ? SagaEvent.Kind.STEP_TIMEOUT : SagaEvent.Kind.STEP_FAILED, error);
            throw failed;
        }
    }

    /**
     * One call of the code. Events are published only if the code is called now, not if its result is read from the
     * journal.
     */
    private final class Attempt implements Callable<JsonNode> {

        private final Call call;
        private final Callable<? extends @Nullable Object> code;
        private final boolean mayHaveBegunBefore;
        private long startedAt;
        private boolean isLive;

        Attempt(Call call, Callable<? extends @Nullable Object> code, boolean mayHaveBegunBefore) {
            this.call = call;
            this.code = code;
            this.mayHaveBegunBefore = mayHaveBegunBefore;
        }

        @Override
        public JsonNode call() throws StepFailure {
            if (!call.isDeduped()) {
                publishStart();
            }
            isLive = true;
            startedAt = System.nanoTime();
            return tree(result());
        }

        private @Nullable Object result() throws StepFailure {
            try {
                return tools.timeouts()
                        .within(call.timeout(), () -> tools.interceptor().around(saga, call.context(), code));
            } catch (StackOverflowError failed) {
                throw failure(failed);
            } catch (VirtualMachineError fatal) {
                throw fatal;
            } catch (Timeouts.TooLateException late) {
                throw failure(new StepError(StepError.TIMEOUT, late.getMessage()), true, true, late);
            } catch (Throwable failed) {
                throw failure(failed);
            }
        }

        private StepFailure failure(Throwable failed) {
            StepError error = new StepError(failed.getClass().getName(), failed.getMessage());
            return failure(error, call.retry().covers(failed), mayHaveBegunBefore, failed);
        }

        /**
         * Converts the result to JSON. If the conversion fails, the failure says that the step may have taken effect,
         * because its code has returned.
         */
        private JsonNode tree(@Nullable Object result) throws StepFailure {
            try {
                return StepResult.journaled(
                        tools.json().treeOf(result),
                        Objects.requireNonNullElse(call.context().output(), StepOutput.NOTHING));
            } catch (JacksonException | StackOverflowError unwritable) {
                String message = "The step's result cannot be written as JSON: " + unwritable.getMessage();
                throw failure(new StepError(StepError.CONTEXT, message), false, true, unwritable);
            }
        }

        private StepFailure failure(StepError error, boolean retried, boolean maybe, Throwable cause) {
            return new StepFailure(
                    new StepFailure.Report(
                            error,
                            retried,
                            maybe,
                            JournaledCause.linesOf(cause),
                            call.retry().delayNamedBy(cause)),
                    tools.json(),
                    cause);
        }

        void publishStart() {
            publish(SagaEvent.Kind.STEP_STARTED, null, null);
        }

        void publish(SagaEvent.Kind kind, @Nullable StepError error) {
            if (isLive) {
                publish(kind, Duration.ofNanos(System.nanoTime() - startedAt), error);
            }
        }

        private void publish(SagaEvent.Kind kind, @Nullable Duration took, @Nullable StepError error) {
            AttemptContext<?> context = call.context();
            tools.notifier()
                    .publish(SagaEvent.ofStep(
                            kind, context.execution(), saga, context.step(), context.attempt(), took, error));
        }
    }
}
