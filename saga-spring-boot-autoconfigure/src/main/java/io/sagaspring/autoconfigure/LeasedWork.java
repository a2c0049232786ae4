package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Keeper;
import io.sagaspring.lease.LeaseStore;
import java.time.Duration;

/**
 * The application's work under leases. When the node closes, the work is interrupted so that it releases its leases and another node
 * can continue at once.
 */
record LeasedWork(LeaseStore store, Keeper keeper) implements BackgroundWork {

    private static final Duration TIME_TO_RELEASE = Duration.ofSeconds(2);

    @Override
    public void begin() {}

    @Override
    public void end() {}

    /**
     * Interrupts the work under leases and gives it two seconds to release them.
     *
     * <p>{@link WorkLifecycle} calls this before the web server drains its requests. The work under leases in a web request is
     * therefore interrupted, although the drain would wait for the request. The web server still accepts requests at this moment. A
     * lease that is acquired after the interrupt is renewed until its work ends or the keeper closes.
     */
    @Override
    public void awaitEnd() {
        keeper.interrupt(store);
        keeper.awaitEnd(store, TIME_TO_RELEASE);
    }
}
