package io.sagaspring.workflow;

import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.LogText;

/**
 * Thrown when a caller named a workflow, a step, an entity or a requester that does not exist.
 *
 * @since 0.1.0
 */
public abstract sealed class UnknownException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnknownException(String message) {
        super(message);
    }

    /** Thrown when no workflow has the given name. */
    public static final class Workflow extends UnknownException {
        private static final long serialVersionUID = 1L;

        Workflow(String name, java.util.Collection<String> known) {
            super("There is no workflow '%s'. Known workflows: %s.".formatted(LogText.of(name), known));
        }
    }

    /** Thrown when the workflow has no such step, or no such step for this requester. */
    public static final class Step extends UnknownException {
        private static final long serialVersionUID = 1L;

        Step(TransitionRequest request, java.util.Collection<String> known) {
            super("Workflow '%s' has no step '%s' for requester '%s'. Steps for this requester: %s."
                    .formatted(request.workflow(), LogText.of(request.step()), request.requester(), known));
        }
    }

    /** Thrown when the workflow does not declare the requester. */
    public static final class UnknownRequester extends UnknownException {
        private static final long serialVersionUID = 1L;

        UnknownRequester(TransitionRequest request, java.util.Collection<?> known) {
            super("Workflow '%s' does not declare requester '%s'. Declared requesters: %s."
                    .formatted(request.workflow(), request.requester(), known));
        }
    }

    /** Thrown when there is no entity with the given id. */
    public static final class Entity extends UnknownException {
        private static final long serialVersionUID = 1L;

        Entity(EntityTable table, Object id) {
            super("There is no %s %s.".formatted(table.entity().getSimpleName(), LogText.of(table.text(id))));
        }
    }
}
