package io.sagaspring.saga;

import java.util.Optional;

/**
 * Where the beans are found that are steps.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface Tasks {

    /**
     * The task of a type.
     *
     * @param type a class, or an interface of it
     * @return empty if there is none, or more than one
     */
    Optional<SagaTask<?, ?>> find(Class<?> type);
}
