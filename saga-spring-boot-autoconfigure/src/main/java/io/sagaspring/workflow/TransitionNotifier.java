package io.sagaspring.workflow;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.sagaspring.entity.EntityTable;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Notifies the observers of a step. The observers are code of the application, and the step may already be committed.
 * Therefore, an exception of an observer is only logged. It affects neither the step nor the result that the caller
 * gets.
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

    TransitionOutcome observe(
            TransitionRequest request, EntityTable table, Object id, Supplier<TransitionOutcome> run) {
        Observation.Scope outer = observations.getCurrentObservationScope();
        Observation observation = begin(request, table, id);
        Observation.Scope scope = open(observation);
        long begun = System.nanoTime();
        try {
            TransitionOutcome outcome = run.get();
            safely(() -> observation.lowCardinalityKeyValue("outcome", outcome.name()));
            notifyFinished(new TransitionFinished(
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
            // If a handler throws, Micrometer does not restore the outer scope. The step's scope must not stay on the
            // thread, which serves other callers afterwards.
            safely(() -> observations.setCurrentObservationScope(outer));
            safely(observation::stop);
        }
    }

    private Observation begin(TransitionRequest request, EntityTable table, Object id) {
        Observation observation = safely(
                () -> Observation.createNotStarted("saga.transition", observations)
                        .contextualName("%s.%s".formatted(request.workflow(), request.step()))
                        .lowCardinalityKeyValue("workflow", request.workflow())
                        .lowCardinalityKeyValue("step", request.step())
                        .lowCardinalityKeyValue("requester", request.requester().name())
                        .lowCardinalityKeyValue("outcome", "exception")
                        .highCardinalityKeyValue("entity.id", table.text(id)),
                Observation.NOOP);
        // If this fails, keep the observation. The handlers that were notified of the start must be notified of the
        // end, too.
        safely(observation::start);
        return observation;
    }

    private Observation.Scope open(Observation observation) {
        return safely(observation::openScope, Observation.Scope.NOOP);
    }

    private void notifyFinished(TransitionFinished event) {
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

    private static <T> T safely(Supplier<T> observer, T fallback) {
        try {
            return observer.get();
        } catch (Exception | LinkageError | AssertionError | StackOverflowError failed) {
            logger.warn("An observer of a step threw an exception. The step's outcome does not change", failed);
            return fallback;
        }
    }
}
