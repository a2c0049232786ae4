package io.sagaspring.workflow;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Tells observers of a run. They are foreign code around something that may already be committed: whatever one of them
 * throws is logged, and decides neither whether the step runs nor what its caller gets.
 */
final class TransitionNotifier {

    private static final Logger logger = LoggerFactory.getLogger(TransitionNotifier.class);

    private final ObservationRegistry observations;
    private final List<TransitionListener> listeners;
    private final ApplicationEventPublisher events;

    TransitionNotifier(
            ObservationRegistry observations,
            Collection<TransitionListener> listeners,
            ApplicationEventPublisher events) {
        this.observations = observations;
        this.listeners = List.copyOf(listeners);
        this.events = events;
    }

    TransitionOutcome over(TransitionRequest request, Object id, Supplier<TransitionOutcome> run) {
        Observation.Scope outer = observations.getCurrentObservationScope();
        Observation observation = begin(request, id);
        Observation.Scope scope = open(observation);
        long begun = System.nanoTime();
        try {
            TransitionOutcome outcome = run.get();
            safely(() -> observation.lowCardinalityKeyValue("outcome", outcome.name()));
            tell(new TransitionFinished(
                    request.workflow(),
                    id,
                    request.step(),
                    request.requester(),
                    outcome,
                    Duration.ofNanos(System.nanoTime() - begun)));
            return outcome;
        } catch (Throwable failed) {
            safely(() -> observation.error(failed));
            listeners.forEach(listener -> safely(() -> listener.failed(request, failed)));
            throw failed;
        } finally {
            safely(scope::close);
            // A handler that throws keeps Micrometer from doing so, and the thread serves other callers after us.
            safely(() -> observations.setCurrentObservationScope(outer));
            safely(observation::stop);
        }
    }

    private Observation begin(TransitionRequest request, Object id) {
        Observation observation = safely(
                () -> Observation.createNotStarted("saga.transition", observations)
                        .contextualName("%s.%s".formatted(request.workflow(), request.step()))
                        .lowCardinalityKeyValue("workflow", request.workflow())
                        .lowCardinalityKeyValue("step", request.step())
                        .lowCardinalityKeyValue("requester", request.requester().name())
                        .lowCardinalityKeyValue("outcome", "exception")
                        .highCardinalityKeyValue("entity.id", id.toString()),
                Observation.NOOP);
        // Not replaced where this fails: handlers that did start wait for the end.
        safely(observation::start);
        return observation;
    }

    private Observation.Scope open(Observation observation) {
        return safely(observation::openScope, Observation.Scope.NOOP);
    }

    private void tell(TransitionFinished event) {
        listeners.forEach(listener -> safely(() -> listener.finished(event)));
        safely(() -> events.publishEvent(event));
    }

    private static void safely(Runnable observer) {
        safely(
                () -> {
                    observer.run();
                    return true;
                },
                false);
    }

    private static <T> T safely(Supplier<T> observer, T otherwise) {
        try {
            return observer.get();
        } catch (Exception | LinkageError | AssertionError | StackOverflowError failed) {
            logger.warn("An observer of a step failed; the step's outcome stands", failed);
            return otherwise;
        }
    }
}
