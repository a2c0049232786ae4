package io.sagaspring.test.run;

import io.sagaspring.run.QueueStore;
import io.sagaspring.run.RunStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

class MemoryQueueStoreTests extends QueueStoreContract {

    private final AtomicReference<Duration> time = new AtomicReference<>(Duration.ZERO);
    private final MemoryRunStore store = new MemoryRunStore("node", time::get, LEASE, RETENTION);

    @Override
    protected RunStore store() {
        return store;
    }

    @Override
    protected RunStore another() {
        return store;
    }

    @Override
    protected QueueStore queues() {
        return store.queues();
    }

    @Override
    protected QueueStore anotherQueues() {
        return store.queues();
    }

    @Override
    protected void pass(Duration duration) {
        time.updateAndGet(now -> now.plus(duration));
    }
}
