package io.sagaspring.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * What is to be done once.
 *
 * @param <T> what it replies
 * @param <E> what it may throw
 * @since 0.1.0
 */
@FunctionalInterface
public interface KeyedWork<T extends @Nullable Object, E extends Exception> {

    /**
     * Does it.
     *
     * @return its reply
     * @throws E if it fails; then the request may be made again
     */
    T run() throws E;
}
