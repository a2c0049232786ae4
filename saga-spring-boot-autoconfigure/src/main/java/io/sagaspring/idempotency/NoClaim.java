package io.sagaspring.idempotency;

import org.jspecify.annotations.Nullable;

/** Of a request without an id. */
final class NoClaim implements KeyClaim {

    static final NoClaim ONLY = new NoClaim();

    private NoClaim() {}

    @Override
    public <T extends @Nullable Object, E extends Exception> T during(Work<T, E> work) throws E {
        return work.run();
    }

    @Override
    public void complete(Reply reply) {}

    @Override
    public void fail() {}

    @Override
    public void fail(Throwable thrown) {}
}
