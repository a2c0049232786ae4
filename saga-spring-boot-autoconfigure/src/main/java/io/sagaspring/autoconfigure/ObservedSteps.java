package io.sagaspring.autoconfigure;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.sagaspring.run.RunId;
import io.sagaspring.saga.StepContext;
import io.sagaspring.saga.StepInterceptor;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records an observation of each attempt of a step. Exceptions of observers are only logged, because the step may have
 * taken effect.
 */
final class ObservedSteps implements StepInterceptor {

    private static final Logger logger = LoggerFactory.getLogger(ObservedSteps.class);

    private final ObservationRegistry observations;
    private final DashboardLinks links;

    ObservedSteps(ObservationRegistry observations, DashboardLinks links) {
        this.observations = observations;
        this.links = links;
    }

    @Override
    public @Nullable Object around(String saga, StepContext<?> context, Callable<? extends @Nullable Object> code)
            throws Exception {
        if (observations.isNoop()) {
            return code.call();
        }
        Observation observation = Observation.createNotStarted("saga.step", observations)
                .contextualName("%s %s".formatted(saga, context.step()))
                .lowCardinalityKeyValue("saga", saga)
                .lowCardinalityKeyValue("step", context.step())
                .highCardinalityKeyValue("execution", context.executionId())
                .highCardinalityKeyValue("attempt", Integer.toString(context.attempt()));
        String page = links.pageOf(RunId.of(context.executionId()));
        if (page != null) {
            observation.highCardinalityKeyValue("page", page);
        }
        Observation.Scope outer = observations.getCurrentObservationScope();
        safely(observation::start);
        Observation.Scope[] inner = {Observation.Scope.NOOP};
        safely(() -> inner[0] = observation.openScope());
        try {
            return code.call();
        } catch (Throwable failed) {
            safely(() -> observation.error(failed));
            throw failed;
        } finally {
            safely(inner[0]::close);
            // If the scope could not be closed, remove it from the thread.
            safely(() -> observations.setCurrentObservationScope(outer));
            safely(observation::stop);
        }
    }

    private static void safely(Runnable observer) {
        try {
            observer.run();
        } catch (Exception | LinkageError | AssertionError | StackOverflowError failed) {
            logger.warn("The observation of a step threw an exception. The step is not affected", failed);
        }
    }
}
