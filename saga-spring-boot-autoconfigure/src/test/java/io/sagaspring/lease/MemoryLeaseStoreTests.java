package io.sagaspring.lease;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

class MemoryLeaseStoreTests extends LeaseStoreContract {

    private final AtomicReference<Duration> time = new AtomicReference<>(Duration.ZERO);
    private final LeaseStore store = new MemoryLeaseStore(time::get);

    @Override
    protected LeaseStore store() {
        return store;
    }

    @Override
    protected LeaseStore another() {
        return store;
    }

    @Override
    protected void pass(LeaseName name, Duration duration) {
        time.updateAndGet(now -> now.plus(duration));
    }
}
