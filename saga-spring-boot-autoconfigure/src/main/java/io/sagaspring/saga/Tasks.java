package io.sagaspring.saga;

import java.util.Optional;

/** The beans that implement steps. */
@FunctionalInterface
interface Tasks {

    /** Returns the bean of a type, or empty if there is none or more than one. */
    Optional<SagaTask<?, ?>> find(Class<?> type);
}
