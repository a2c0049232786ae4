package io.sagaspring.saga;

import io.sagaspring.run.RunEvent;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunListener;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells who listens what happens to executions on this node. Whatever one of them throws decides nothing. */
final class SagaWatch implements RunListener {

    private static final Logger logger = LoggerFactory.getLogger(SagaWatch.class);

    private final List<SagaListener> listeners;
    private final Set<String> sagas;

    SagaWatch(Collection<SagaListener> listeners, Collection<Plan<?>> plans) {
        this.listeners = List.copyOf(listeners);
        this.sagas = plans.stream().map(Plan::name).collect(Collectors.toUnmodifiableSet());
    }

    void tell(SagaEvent event) {
        for (SagaListener listener : listeners) {
            try {
                listener.happened(event);
            } catch (Throwable failed) {
                logger.warn("A listener failed on {}", event, failed);
            }
        }
    }

    @Override
    public void happened(String run, RunId id, RunEvent event) {
        SagaEvent.Kind kind = switch (event) {
            case COMPLETED -> SagaEvent.Kind.EXECUTION_COMPLETED;
            case FAILED -> SagaEvent.Kind.EXECUTION_FAILED;
            case CANCELLED -> SagaEvent.Kind.EXECUTION_CANCELLED;
            case COMPENSATION_FAILED -> SagaEvent.Kind.EXECUTION_COMPENSATION_FAILED;
            default -> null;
        };
        if (kind != null && sagas.contains(run)) {
            tell(new SagaEvent(kind, id, run, null, 0, null, null));
        }
    }
}
