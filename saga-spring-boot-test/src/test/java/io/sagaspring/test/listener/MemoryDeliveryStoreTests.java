package io.sagaspring.test.listener;

import io.sagaspring.listener.DeliveryStore;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

class MemoryDeliveryStoreTests extends DeliveryStoreContract {

    private Duration passed = Duration.ZERO;
    private final DeliveryStore store = new MemoryDeliveryStore(
            () -> Instant.now().truncatedTo(ChronoUnit.MICROS).plus(passed), LEASE);

    @Override
    protected DeliveryStore store() {
        return store;
    }

    /** Returns the same store, because no other process can see the deliveries in memory. */
    @Override
    protected DeliveryStore another() {
        return store;
    }

    @Override
    protected void pass(String of, Duration duration) {
        passed = passed.plus(duration);
    }

    @Override
    protected Connection connection() {
        throw new IllegalStateException("Deliveries in memory need no connection.");
    }
}
