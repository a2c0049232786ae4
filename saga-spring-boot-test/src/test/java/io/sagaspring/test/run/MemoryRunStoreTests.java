package io.sagaspring.test.run;

import io.sagaspring.run.RunStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

class MemoryRunStoreTests extends RunStoreContract {

    private final AtomicReference<Duration> time = new AtomicReference<>(Duration.ZERO);
    private final RunStore store = new MemoryRunStore("node", time::get, LEASE, RETENTION);

    @Override
    protected RunStore store() {
        return store;
    }

    /** Returns the same store, because no other process can see the runs in memory. */
    @Override
    protected RunStore another() {
        return store;
    }

    @Override
    protected void pass(Duration duration) {
        time.updateAndGet(now -> now.plus(duration));
    }
}
