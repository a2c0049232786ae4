package io.sagaspring.workflow;

import io.sagaspring.fence.LogText;

/**
 * A caller named something that is not there: a workflow, a step, an entity, a requester.
 *
 * @since 0.1.0
 */
public abstract sealed class UnknownException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnknownException(String message) {
        super(message);
    }

    /** No workflow bears the name. */
    public static final class Workflow extends UnknownException {
        private static final long serialVersionUID = 1L;

        Workflow(String name, java.util.Collection<String> known) {
            super("There is no workflow '%s'. There are: %s.".formatted(LogText.of(name), known));
        }
    }

    /** The workflow has no such step, or none for this requester. */
    public static final class Step extends UnknownException {
        private static final long serialVersionUID = 1L;

        Step(TransitionRequest request, java.util.Collection<String> known) {
            super("Workflow '%s' has no step '%s' for requester '%s'. It has: %s."
                    .formatted(request.workflow(), LogText.of(request.step()), request.requester(), known));
        }
    }

    /** The workflow knows no such requester. */
    public static final class UnknownRequester extends UnknownException {
        private static final long serialVersionUID = 1L;

        UnknownRequester(TransitionRequest request, java.util.Collection<?> known) {
            super("Workflow '%s' knows no requester '%s'. It knows: %s."
                    .formatted(request.workflow(), request.requester(), known));
        }
    }

    /** There is no entity with this id. */
    public static final class Entity extends UnknownException {
        private static final long serialVersionUID = 1L;

        Entity(TransitionRequest request, String entity) {
            super("There is no %s %s.".formatted(entity, LogText.of(request.id())));
        }
    }
}
