package io.sagaspring.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.FencingToken;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class MemoryLeaseStoreTests extends LeaseStoreContract {

    private static final Duration RETENTION = Duration.ofDays(30);

    private final AtomicReference<Duration> time = new AtomicReference<>(Duration.ZERO);
    private final LeaseStore store = new MemoryLeaseStore(time::get, RETENTION);

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

    @Test
    void aLeaseUnusedForTheRetentionIsForgotten() {
        LeaseName released = new LeaseName("released");
        LeaseName completed = new LeaseName("completed");
        LeaseName used = new LeaseName("used");
        FencingToken token = acquired(released);
        store.release(released, token);
        store.complete(completed, acquired(completed), Completion.PASSED);
        pass(released, RETENTION.minusSeconds(1));
        assertThat(store.purge(10)).isZero();
        acquired(used);
        pass(released, Duration.ofSeconds(1));

        assertThat(store.purge(1)).isOne();
        assertThat(store.purge(10)).isOne();
        assertThat(store.find(released)).isEmpty();
        assertThat(store.find(completed)).isEmpty();
        assertThat(store.find(used)).isPresent();
        assertThat(acquired(released)).isGreaterThan(token);
    }

    private FencingToken acquired(LeaseName name) {
        return store.acquire(name, new LeaseStore.Attempt(UUID.randomUUID(), "node", Duration.ofMinutes(1)))
                .token();
    }
}
