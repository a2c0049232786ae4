package io.sagaspring.saga;

import java.util.Optional;

/** Where the beans are found that are steps. */
@FunctionalInterface
interface Tasks {

    /** Empty if there is no such bean, or more than one. */
    Optional<SagaTask<?, ?>> find(Class<?> type);
}
