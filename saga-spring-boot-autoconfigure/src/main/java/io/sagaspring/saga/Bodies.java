package io.sagaspring.saga;

import io.sagaspring.run.RunContext;
import io.sagaspring.run.Step;
import io.sagaspring.run.StepFailedException;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Calls the bodies of one execution: within their time, with what surrounds them, and in words where they fail. */
final class Bodies {

    private final String saga;
    private final RunContext run;
    private final SagaRun.Tools tools;

    Bodies(String saga, RunContext run, SagaRun.Tools tools) {
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
     * @param mayHaveBegun whether it may have taken effect before, although its failure says that it does not
     * @param whenDone what is told of it when it has returned
     */
    record Call(
            String id,
            ContextOfStep<?> context,
            boolean isDeduped,
            Retry retry,
            @Nullable Duration timeout,
            boolean mayHaveBegun,
            SagaEvent.Kind whenDone) {}

    /** What it returned, unless it was called before: then what it returned then. */
    @Nullable
    JsonNode call(Call call, Callable<? extends @Nullable Object> body) {
        Attempt attempt = new Attempt(call, body);
        try {
            JsonNode result = (JsonNode)
                    (call.isDeduped()
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
    private final class Attempt implements Callable<@Nullable Object> {

        private final Call call;
        private final Callable<? extends @Nullable Object> body;
        private long begun;
        private boolean isLive;

        Attempt(Call call, Callable<? extends @Nullable Object> body) {
            this.call = call;
            this.body = body;
        }

        @Override
        public @Nullable Object call() throws StepFailure {
            isLive = true;
            begun = System.nanoTime();
            tell(SagaEvent.Kind.STEP_STARTED, null);
            try {
                return tools.timeouts()
                        .within(call.timeout(), () -> tools.surroundings().around(saga, call.context(), body));
            } catch (StepFailure failure) {
                throw failure;
            } catch (VirtualMachineError fatal) {
                throw fatal;
            } catch (Throwable failed) {
                boolean late = failed instanceof Timeouts.TooLateException;
                StepError error = new StepError(
                        late ? StepError.TIMEOUT : failed.getClass().getName(), failed.getMessage());
                throw new StepFailure(
                        new StepFailure.Words(error, call.retry().covers(failed), late || call.mayHaveBegun()),
                        tools.json(),
                        failed);
            }
        }

        void tell(SagaEvent.Kind kind, @Nullable StepError error) {
            if (isLive) {
                ContextOfStep<?> context = call.context();
                Duration took =
                        kind == SagaEvent.Kind.STEP_STARTED ? null : Duration.ofNanos(System.nanoTime() - begun);
                tools.watch()
                        .tell(new SagaEvent(
                                kind, context.execution(), saga, context.step(), context.attempt(), took, error));
            }
        }
    }
}
