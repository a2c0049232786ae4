package io.sagaspring.idempotency;

import org.jspecify.annotations.Nullable;

/** The claim of a request without an id. The claim protects nothing. */
final class UnkeyedClaim implements KeyClaim {

    static final UnkeyedClaim ONLY = new UnkeyedClaim();

    private UnkeyedClaim() {}

    @Override
    public <T extends @Nullable Object, E extends Exception> T during(KeyedWork<T, E> work) throws E {
        return work.run();
    }

    @Override
    public void complete(StoredReply reply) {}

    @Override
    public void fail() {}

    @Override
    public void fail(Throwable thrown) {}
}
