package io.sagaspring.test.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.listener.Delivery;
import io.sagaspring.listener.DeliveryQuery;
import io.sagaspring.listener.DeliveryStore;
import io.sagaspring.listener.DeliveryStore.Addressee;
import io.sagaspring.listener.DeliveryStore.PickedUp;
import io.sagaspring.listener.DeliveryStore.Publication;
import io.sagaspring.listener.DeliveryView;
import io.sagaspring.run.StoredValue;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** The fixture that the contracts of stores of deliveries share. */
abstract class DeliveryStoreFixture {

    /** The duration of a delivery's lease. The subclass must create its stores with this duration. */
    protected static final Duration LEASE = Duration.ofMinutes(5);

    static final Duration HOUR = Duration.ofHours(1);
    static final int ATTEMPTS = 3;
    static final int NODES = 8;

    final String listener = "contract-" + UUID.randomUUID();

    /** Creates the fixture for the store of the subclass. */
    protected DeliveryStoreFixture() {}

    /**
     * Returns the store as used by one process.
     *
     * @return the store
     */
    protected abstract DeliveryStore store();

    /**
     * Returns a store of the same deliveries, as used by another process.
     *
     * @return the store
     */
    protected abstract DeliveryStore another();

    /**
     * Lets time pass for the deliveries of a listener.
     *
     * @param of the listener
     * @param duration the duration
     */
    protected abstract void pass(String of, Duration duration);

    /**
     * Returns a connection for renewals.
     *
     * @return the connection, in auto-commit mode
     */
    protected abstract Connection connection();

    static StoredValue value(String text) {
        return new StoredValue("text", text.getBytes(StandardCharsets.UTF_8));
    }

    void publish(String payload, long line) {
        publish(payload, List.of(new Addressee(listener, "Event", line, "key-" + line)));
    }

    void publish(String payload, List<Addressee> addressees) {
        store().publish(new Publication("Event", "acme", value(payload), value("carried"), addressees));
    }

    List<PickedUp> pick(DeliveryStore by, int slots) {
        return by.pick(listener, slots, ATTEMPTS);
    }

    PickedUp pickOne() {
        List<PickedUp> picked = pick(store(), 10);
        assertThat(picked).hasSize(1);
        return picked.get(0);
    }

    static String text(PickedUp picked) {
        return new String(picked.payload().bytes(), StandardCharsets.UTF_8);
    }

    List<String> texts(int slots) {
        return pick(store(), slots).stream()
                .map(DeliveryStoreFixture::text)
                .sorted()
                .toList();
    }

    boolean fail(Delivery delivery, Duration pause, boolean park) {
        return store().failed(delivery, pause, park, "it failed");
    }

    List<DeliveryView> all() {
        return another().find(DeliveryQuery.of(listener, 1_000));
    }
}
