package io.sagaspring.schedule;

/**
 * Thrown if there is no schedule with the given name.
 *
 * @since 0.1.0
 */
public final class NoSuchScheduleException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NoSuchScheduleException(String name) {
        super(
                "There is no schedule '%s', because no node has declared it or it was removed. Schedules.list() shows the schedules."
                        .formatted(name));
    }
}
