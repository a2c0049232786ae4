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

/** Tells who listens what happens to executions on this node. Whatever one of them throws decides nothing. */
final class SagaNotifier implements RunListener {

    private static final Logger logger = LoggerFactory.getLogger(SagaNotifier.class);

    private final List<SagaListener> listeners;
    private final Set<String> sagas;

    SagaNotifier(Collection<SagaListener> listeners, Collection<SagaPlan<?>> plans) {
        this.listeners = List.copyOf(listeners);
        this.sagas = plans.stream().map(SagaPlan::name).collect(Collectors.toUnmodifiableSet());
    }

    void tell(SagaEvent event) {
        for (SagaListener listener : listeners) {
            try {
                listener.happened(event);
            } catch (Throwable failed) {
                logger.warn("A listener failed on {}", LogText.of(event), failed);
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
            case COMPLETED -> tellOfEnd(notice, SagaEvent.Kind.EXECUTION_COMPLETED);
            case FAILED -> tellOfEnd(notice, SagaEvent.Kind.EXECUTION_FAILED);
            // That it is cancelled was told when it was.
            case CANCELLED -> tell(event(SagaEvent.Kind.EXECUTION_ENDED, notice));
            case COMPENSATION_FAILED -> tell(event(SagaEvent.Kind.EXECUTION_COMPENSATION_FAILED, notice));
            default -> {}
        }
    }

    private void tellOfEnd(RunNotice notice, SagaEvent.Kind kind) {
        tell(event(kind, notice));
        tell(event(SagaEvent.Kind.EXECUTION_ENDED, notice));
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
