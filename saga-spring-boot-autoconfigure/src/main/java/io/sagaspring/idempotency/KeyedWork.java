package io.sagaspring.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * The work that is executed under a key.
 *
 * @param <T> the type of the work's reply
 * @param <E> the exception that the work may throw
 * @since 0.1.0
 */
@FunctionalInterface
public interface KeyedWork<T extends @Nullable Object, E extends Exception> {

    /**
     * Executes the work.
     *
     * @return the reply
     * @throws E if the work fails; the request can then be repeated
     */
    T run() throws E;
}
