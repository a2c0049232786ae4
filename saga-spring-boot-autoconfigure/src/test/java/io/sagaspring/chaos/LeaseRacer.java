package io.sagaspring.chaos;

import io.sagaspring.lease.Acquisition;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.lease.LeaseStore;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/** Races for a lease. Sometimes the racer acquires the lease and abandons it, like a holder that dies. */
record LeaseRacer(LeaseStore store, LeaseManager leases, String node, LeaseHistory history) {

    private static final Duration SHORT = Duration.ofMillis(200);

    /**
     * Races until all racers together have counted to the number of rounds. The seed determines the actions of this
     * racer and their order.
     */
    void race(LeaseName name, long rounds, long seed) {
        Random random = new Random(seed);
        while (true) {
            if (random.nextInt(100) == 0) {
                store.acquire(name, new LeaseStore.Attempt(UUID.randomUUID(), node, SHORT));
            } else if (leases.tryAcquire(name) instanceof Acquisition.Acquired acquired) {
                try (Lease lease = acquired.lease()) {
                    if (!count(lease, rounds, random)) {
                        return;
                    }
                }
            } else {
                // Without this pause, twelve racers would use both cores, and the holder could not run.
                LockSupport.parkNanos(random.nextInt(20_000_000));
            }
        }
    }

    private boolean count(Lease lease, long rounds, Random random) {
        long counted = history.counted();
        if (counted >= rounds) {
            return false;
        }
        switch (random.nextInt(8)) {
            case 0 -> require(lease.renew(), lease, "not renewed");
            case 1 -> require(lease.guard().isHeld(), lease, "not held");
            case 2 ->
                require(store.reattach(lease.name(), lease.token(), Duration.ofMinutes(1)), lease, "not reattached");
            case 3 -> require(!(leases.tryAcquire(lease.name()) instanceof Acquisition.Acquired), lease, "held twice");
            default -> LockSupport.parkNanos(random.nextInt(100_000));
        }
        history.count(counted + 1);
        history.held(lease.token(), node);
        return true;
    }

    private static void require(boolean condition, Lease lease, String otherwise) {
        if (!condition) {
            throw new IllegalStateException("%s: %s".formatted(lease, otherwise));
        }
    }
}
