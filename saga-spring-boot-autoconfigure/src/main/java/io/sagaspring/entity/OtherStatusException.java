package io.sagaspring.entity;

/** Thrown when an action has written a status that is neither the one before the action nor the status of success. */
final class OtherStatusException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    OtherStatusException(String entity, String status, String target) {
        super(
                "The action has written %s with the status '%s', so the action was rolled back. Keep the status that the entity has in the action, or set the status '%s', which the library writes when the action ends."
                        .formatted(entity, status, target));
    }
}
