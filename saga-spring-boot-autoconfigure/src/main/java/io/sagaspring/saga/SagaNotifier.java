package io.sagaspring.saga;

import io.sagaspring.fence.LogText;
import io.sagaspring.run.RunEvent;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunListener;
import io.sagaspring.run.RunNotice;
import io.sagaspring.run.RunStoppedException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the events of executions on this node to the listeners. If a listener throws an exception, the exception is
 * logged and has no other effect.
 */
final class SagaNotifier implements RunListener {

    private static final Logger logger = LoggerFactory.getLogger(SagaNotifier.class);

    private final List<SagaListener> listeners;
    private final Set<String> sagas;

    SagaNotifier(Collection<SagaListener> listeners, Collection<SagaPlan<?>> plans) {
        this.listeners = List.copyOf(listeners);
        this.sagas = plans.stream().map(SagaPlan::name).collect(Collectors.toUnmodifiableSet());
    }

    void publish(SagaEvent event) {
        for (SagaListener listener : listeners) {
            try {
                listener.happened(event);
            } catch (Throwable failed) {
                logger.warn("A SagaListener threw an exception for the event {}", LogText.of(event), failed);
            }
        }
    }

    @Override
    public void happened(String run, RunId id, RunEvent event) {
        happened(new RunNotice(run, id, event, Instant.now(), null, null, null));
    }

    @Override
    public void happened(RunNotice notice) {
        if (!sagas.contains(notice.run())) {
            return;
        }
        switch (notice.event()) {
            case COMPLETED -> publishEnd(notice, SagaEvent.Kind.EXECUTION_COMPLETED);
            case FAILED -> publishEnd(notice, SagaEvent.Kind.EXECUTION_FAILED);
            // EXECUTION_CANCELLED is not published here, but when the compensations start.
            case CANCELLED -> publish(event(SagaEvent.Kind.EXECUTION_ENDED, notice));
            case COMPENSATION_FAILED -> publish(event(SagaEvent.Kind.EXECUTION_COMPENSATION_FAILED, notice));
            default -> {}
        }
    }

    private void publishEnd(RunNotice notice, SagaEvent.Kind kind) {
        publish(event(kind, notice));
        publish(event(SagaEvent.Kind.EXECUTION_ENDED, notice));
    }

    private static SagaEvent event(SagaEvent.Kind kind, RunNotice notice) {
        return SagaEvent.ofExecution(
                kind, notice.id(), notice.run(), notice.at(), error(notice), notice.cancelReason());
    }

    private static @Nullable StepError error(RunNotice notice) {
        Throwable failure = notice.failure();
        if (failure == null || notice.event() == RunEvent.CANCELLED) {
            return null;
        }
        if (failure instanceof SagaFailedException failed) {
            return failed.error();
        }
        if (failure instanceof GivenUpCompensationException failed) {
            return failed.error();
        }
        if (failure instanceof RunStoppedException) {
            return StepError.late();
        }
        return new StepError(failure.getClass().getName(), failure.getMessage());
    }
}
