package io.sagaspring.run.queue;

import java.util.Set;

/**
 * Thrown if a call names a queue that the application does not declare.
 *
 * @since 0.1.0
 */
public final class NoSuchQueueException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    NoSuchQueueException(String name, Set<String> declared) {
        super(
                "There is no queue '%s'. This application declares the queues %s. Declare a RunQueue bean or saga.runs.queues.%s."
                        .formatted(name, declared, name));
    }
}
