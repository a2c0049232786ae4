package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.OwnerResolver;
import io.sagaspring.idempotency.method.IdempotentPostProcessor.Application.Handlers;
import java.util.List;

/** A stand-in for the application, for methods that are checked but never called. */
record Around(Handlers handlers, boolean hasOwnCodec) implements IdempotentPostProcessor.Application {

    /** Returns the faults of a type's methods that cannot be protected. */
    static List<String> faults(Class<?> type, Handlers handlers) {
        return new IdempotentMethods(new Around(handlers, false)).faults(type);
    }

    @Override
    public String resolve(String text) {
        return text;
    }

    @Override
    public Idempotency idempotency() {
        throw new IllegalStateException("Nothing is called.");
    }

    @Override
    public OwnerResolver owners() {
        throw new IllegalStateException("Nothing is called.");
    }
}
