package io.sagaspring.test.listener;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.HeldLease;
import io.sagaspring.listener.Delivery;
import io.sagaspring.listener.DeliveryQuery;
import io.sagaspring.listener.DeliveryState;
import io.sagaspring.listener.DeliveryStore;
import io.sagaspring.listener.DeliveryStore.Addressee;
import io.sagaspring.listener.DeliveryStore.Ended;
import io.sagaspring.listener.DeliveryStore.PickedUp;
import io.sagaspring.listener.DeliveryStore.Publication;
import io.sagaspring.listener.DeliveryView;
import io.sagaspring.listener.ListenerBacklog;
import io.sagaspring.run.StoredValue;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The contract of every store of deliveries, in the form of tests. Extend this class to test your own store. The tests may share one store,
 * because each of them uses new listeners.
 *
 * @since 0.1.0
 */
public abstract class DeliveryStoreContract {

    /** The duration of a lease of the stores under test. */
    protected static final Duration LEASE = Duration.ofMinutes(5);

    private static final Duration HOUR = Duration.ofHours(1);
    private static final int ATTEMPTS = 3;
    private static final int NODES = 8;

    private final String listener = "contract-" + UUID.randomUUID();

    /** Creates the contract for the store of the subclass. */
    protected DeliveryStoreContract() {}

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

    private static StoredValue value(String text) {
        return new StoredValue("text", text.getBytes(StandardCharsets.UTF_8));
    }

    private void publish(String payload, long line) {
        publish(payload, List.of(new Addressee(listener, "Event", line, "key-" + line)));
    }

    private void publish(String payload, List<Addressee> addressees) {
        store().publish(new Publication("Event", "acme", value(payload), value("carried"), addressees));
    }

    private List<PickedUp> pick(DeliveryStore by, int slots) {
        return by.pick(listener, slots, ATTEMPTS);
    }

    private PickedUp pickOne() {
        List<PickedUp> picked = pick(store(), 10);
        assertThat(picked).hasSize(1);
        return picked.get(0);
    }

    private static String text(PickedUp picked) {
        return new String(picked.payload().bytes(), StandardCharsets.UTF_8);
    }

    private List<String> texts(int slots) {
        return pick(store(), slots).stream()
                .map(DeliveryStoreContract::text)
                .sorted()
                .toList();
    }

    private boolean fail(Delivery delivery, Duration pause, boolean park) {
        return store().failed(delivery, pause, park, "it failed");
    }

    private List<DeliveryView> all() {
        return another().find(DeliveryQuery.of(listener, 1_000));
    }

    @Test
    void anEventIsStoredOnceForEachListener() {
        String other = listener + "-other";
        publish("a", List.of(new Addressee(listener, "Event", 1, "k"), new Addressee(other, "Event", 1, null)));

        PickedUp picked = pickOne();
        assertThat(text(picked)).isEqualTo("a");
        assertThat(picked.tenant()).isEqualTo("acme");
        assertThat(picked.carried()).isNotNull();
        assertThat(picked.delivery().listener()).isEqualTo(listener);
        assertThat(picked.delivery().orderKey()).isEqualTo("k");
        assertThat(picked.delivery().attempt()).isEqualTo(1);
        assertThat(store().done(picked.delivery())).isEqualTo(Ended.DONE);

        assertThat(all()).isEmpty();
        List<PickedUp> ofOther = store().pick(other, 10, ATTEMPTS);
        assertThat(ofOther).hasSize(1);
        assertThat(ofOther.get(0).delivery().orderKey()).isNull();
        assertThat(ofOther.get(0).delivery().key()).isNotEqualTo(picked.delivery().key());
    }

    @Test
    void onlyTheHeadOfALineIsPickedUp() {
        publish("a", 1);
        publish("b", 1);
        publish("c", 2);

        List<PickedUp> picked = pick(store(), 10);
        assertThat(picked.stream().map(DeliveryStoreContract::text)).containsExactlyInAnyOrder("a", "c");
        assertThat(pick(another(), 10)).isEmpty();

        PickedUp head = picked.stream()
                .filter(each -> text(each).equals("a"))
                .findFirst()
                .orElseThrow();
        assertThat(store().done(head.delivery())).isEqualTo(Ended.OTHERS_FOLLOW);
        assertThat(text(pickOne())).isEqualTo("b");
    }

    @Test
    void noMoreThanTheFreeSlotsArePickedUp() {
        IntStream.range(0, 5).forEach(each -> publish("p" + each, each));

        assertThat(pick(store(), 3)).hasSize(3);
        assertThat(pick(store(), 3)).hasSize(2);
    }

    @Test
    void aHeadThatWaitsForItsNextAttemptHoldsUpItsLineOnly() {
        publish("a", 1);
        assertThat(fail(pickOne().delivery(), HOUR, false)).isTrue();
        publish("b", 1);
        publish("c", 2);

        assertThat(texts(10)).containsExactly("c");
        pass(listener, HOUR);
        PickedUp again = pick(store(), 10).stream()
                .filter(each -> text(each).equals("a"))
                .findFirst()
                .orElseThrow();
        assertThat(again.delivery().attempt()).isEqualTo(2);
    }

    @Test
    void aParkedHeadHoldsUpItsLineOnlyUntilAPersonRetriesIt() {
        publish("a", 1);
        Delivery parked = pickOne().delivery();
        assertThat(fail(parked, Duration.ZERO, true)).isTrue();
        publish("b", 1);
        publish("c", 2);

        assertThat(texts(10)).containsExactly("c");
        assertThat(another().find(new DeliveryQuery(listener, null, null, DeliveryState.PARKED, 10)))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.id()).isEqualTo(parked.id());
                    assertThat(each.lastError()).contains("it failed");
                    assertThat(each.attempts()).isEqualTo(1);
                });
        pass(listener, HOUR);
        assertThat(texts(10)).containsExactly("c");

        assertThat(another().retry(parked.id())).isTrue();
        PickedUp again = pickOne();
        assertThat(text(again)).isEqualTo("a");
        assertThat(again.delivery().attempt()).isEqualTo(1);
    }

    @Test
    void afterAParkedHeadIsGivenUpTheNextOfItsLineFollows() {
        publish("a", 1);
        Delivery parked = pickOne().delivery();
        assertThat(fail(parked, Duration.ZERO, true)).isTrue();
        publish("b", 1);

        assertThat(another().giveUp(parked.id())).hasValueSatisfying(each -> assertThat(each.listener())
                .isEqualTo(listener));
        assertThat(another().giveUp(parked.id())).isEmpty();
        assertThat(text(pickOne())).isEqualTo("b");
    }

    @Test
    void aDeliveryInProgressIsNeitherGivenUpNorRetried() {
        publish("a", 1);
        Delivery delivery = pickOne().delivery();

        assertThat(another().giveUp(delivery.id())).isEmpty();
        assertThat(another().retry(delivery.id())).isFalse();
        assertThat(store().done(delivery)).isEqualTo(Ended.DONE);
    }

    @Test
    void aDeliveryThatHasNotBegunCanBeGivenUpButHasNothingToRetry() {
        publish("a", 1);
        long id = all().get(0).id();

        assertThat(store().retry(id)).isFalse();
        assertThat(store().giveUp(id)).isPresent();
        assertThat(all()).isEmpty();
    }

    @Test
    void aRetryEndsThePauseOfADelivery() {
        publish("a", 1);
        Delivery delivery = pickOne().delivery();
        assertThat(fail(delivery, HOUR, false)).isTrue();

        assertThat(another().retry(delivery.id())).isTrue();
        assertThat(pickOne().delivery().attempt()).isEqualTo(1);
    }

    @Test
    void aPreviousOwnerWritesNothing() {
        publish("a", 1);
        Delivery previous = pickOne().delivery();
        pass(listener, LEASE);
        Delivery current = pick(another(), 10).get(0).delivery();

        assertThat(current.token()).isGreaterThan(previous.token());
        assertThat(current.attempt()).isEqualTo(2);
        assertThat(store().done(previous)).isEqualTo(Ended.LOST);
        assertThat(fail(previous, Duration.ZERO, true)).isFalse();
        assertThat(store().release(previous, Duration.ZERO)).isFalse();
        assertThat(another().done(current)).isEqualTo(Ended.DONE);
    }

    @Test
    void aDeliveryWhoseNodesDieIsParkedAfterItsLastAttempt() {
        publish("a", 1);
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            PickedUp picked = pickOne();
            assertThat(picked.parked()).isFalse();
            assertThat(picked.delivery().attempt()).isEqualTo(attempt);
            pass(listener, LEASE);
        }

        assertThat(pickOne().parked()).isTrue();
        assertThat(all()).singleElement().satisfies(each -> {
            assertThat(each.state()).isEqualTo(DeliveryState.PARKED);
            assertThat(each.attempts()).isEqualTo(ATTEMPTS);
            assertThat(each.lastError()).contains("died");
        });
        pass(listener, LEASE);
        assertThat(pick(store(), 10)).isEmpty();
    }

    @Test
    void aReleasedAttemptDoesNotCount() {
        publish("a", 1);
        assertThat(store().release(pickOne().delivery(), Duration.ZERO)).isTrue();

        assertThat(pickOne().delivery().attempt()).isEqualTo(1);
    }

    @Test
    void aRenewedDeliveryIsNotPickedUpByAnotherNode() throws Exception {
        publish("a", 1);
        Delivery delivery = pickOne().delivery();
        HeldLease held = new HeldLease(listener, Long.toString(delivery.id()), delivery.token());
        pass(listener, LEASE.minusMinutes(1));

        assertThat(store().leases().renew(this::connection, Set.of(held))).containsExactly(held);
        pass(listener, LEASE.minusMinutes(1));
        assertThat(pick(another(), 10)).isEmpty();
        assertThat(store().leases().stillHeld(this::connection, Set.of(held))).containsExactly(held);

        pass(listener, LEASE);
        assertThat(pick(another(), 10)).hasSize(1);
        assertThat(store().leases().renew(this::connection, Set.of(held))).isEmpty();
        assertThat(store().leases().stillHeld(this::connection, Set.of(held))).isEmpty();
    }

    @Test
    void aNodeKnowsWhenTheNextDeliveryCanBegin() {
        assertThat(store().untilDue(listener, HOUR)).isEmpty();
        publish("a", 1);
        publish("b", 1);
        assertThat(store().untilDue(listener, HOUR))
                .hasValueSatisfying(until -> assertThat(until).isLessThanOrEqualTo(Duration.ZERO));

        Delivery delivery = pickOne().delivery();
        assertThat(store().untilDue(listener, HOUR)).hasValueSatisfying(until -> assertThat(until)
                .isBetween(LEASE.minusMinutes(1), LEASE));
        assertThat(fail(delivery, HOUR.multipliedBy(2), false)).isTrue();
        assertThat(store().untilDue(listener, HOUR)).isEmpty();
        assertThat(store().untilDue(listener, HOUR.multipliedBy(3))).isPresent();
    }

    @Test
    void aThousandParkedLinesHideNoOther() {
        for (int line = 0; line < 1_000; line++) {
            publish("p" + line, line);
        }
        List<PickedUp> picked = pick(store(), 1_000);
        assertThat(picked).hasSize(1_000);
        picked.forEach(each -> assertThat(fail(each.delivery(), Duration.ZERO, true)).isTrue());
        publish("last", 10_000);
        publish("first", -10_000);

        assertThat(store().untilDue(listener, HOUR)).isPresent();
        assertThat(texts(10)).containsExactly("first", "last");
        assertThat(store().untilDue(listener, Duration.ofMinutes(1))).isEmpty();
    }

    @Test
    void theLinesTakeTurns() {
        for (int line = 0; line < 5; line++) {
            for (int each = 0; each < 3; each++) {
                publish(line + "-" + each, line);
            }
        }
        List<String> order = new ArrayList<>();
        for (int each = 0; each < 15; each++) {
            PickedUp picked = pick(store(), 1).get(0);
            order.add(text(picked));
            assertThat(store().done(picked.delivery())).isNotEqualTo(Ended.LOST);
        }

        for (int round = 0; round < 3; round++) {
            String suffix = "-" + round;
            assertThat(order.subList(round * 5, round * 5 + 5)).allMatch(each -> each.endsWith(suffix));
        }
    }

    @Test
    void deliveriesAreFoundByTheirProperties() {
        publish("a", 1);
        publish("b", 2);
        String other = listener + "-gone";
        publish("c", List.of(new Addressee(other, "Event", 1, null)));
        List<PickedUp> picked = pick(store(), 10);
        assertThat(fail(picked.get(0).delivery(), HOUR, false)).isTrue();

        assertThat(all()).extracting(DeliveryView::state)
                .containsExactlyInAnyOrder(DeliveryState.RETRYING, DeliveryState.DELIVERING);
        assertThat(store().find(new DeliveryQuery(listener, "key-2", null, null, 10)))
                .singleElement()
                .satisfies(each -> assertThat(each.orderKey()).isEqualTo("key-2"));
        assertThat(store().find(new DeliveryQuery(listener, null, "acme", null, 10))).hasSize(2);
        assertThat(store().find(new DeliveryQuery(listener, null, "", null, 10))).isEmpty();
        assertThat(store().find(new DeliveryQuery(other, null, null, DeliveryState.WAITING, 10))).hasSize(1);
        assertThat(store().find(DeliveryQuery.of(listener, 1))).hasSize(1);
    }

    @Test
    void theBacklogCountsTheHeadsThatAreDue() {
        for (int each = 0; each < 4; each++) {
            publish("a" + each, 1);
        }
        publish("b", 2);
        publish("c", 3);
        String gone = listener + "-gone";
        publish("d", List.of(new Addressee(gone, "Event", 1, null)));
        Delivery head = pick(store(), 1).get(0).delivery();
        assertThat(fail(head, Duration.ZERO, true)).isTrue();
        pass(listener, HOUR);

        List<ListenerBacklog> backlog = store().backlog(Set.of(listener)).stream()
                .filter(each -> each.listener().startsWith(listener))
                .toList();
        assertThat(backlog).extracting(ListenerBacklog::listener).containsExactly(listener, gone);
        assertThat(backlog).extracting(ListenerBacklog::known).containsExactly(true, false);
        ListenerBacklog own = backlog.get(0);
        assertThat(own.stored()).isEqualTo(6);
        assertThat(own.parked()).isEqualTo(1);
        assertThat(own.due()).isEqualTo(2);
        assertThat(own.overdue()).isBetween(HOUR, HOUR.plusMinutes(5));
    }

    /** Eight nodes deliver at the same time. No line is ever in the hands of two of them, and none is overtaken. */
    @Test
    void manyNodesDeliverEachLineInItsOrder() throws Exception {
        int lines = 20;
        int ofEach = 10;
        for (int each = 0; each < ofEach; each++) {
            for (int line = 0; line < lines; line++) {
                publish(line + ":" + each, line);
            }
        }
        Map<String, List<Integer>> delivered = new ConcurrentHashMap<>();
        Map<String, Boolean> busy = new ConcurrentHashMap<>();
        List<String> clashes = Collections.synchronizedList(new ArrayList<>());
        CyclicBarrier start = new CyclicBarrier(NODES);
        ExecutorService threads = Executors.newFixedThreadPool(NODES);
        try {
            List<Future<?>> nodes = new ArrayList<>();
            for (int node = 0; node < NODES; node++) {
                DeliveryStore by = node % 2 == 0 ? store() : another();
                nodes.add(threads.submit(() -> {
                    start.await(30, SECONDS);
                    while (by.untilDue(listener, LEASE).isPresent()) {
                        for (PickedUp picked : pick(by, 4)) {
                            String[] parts = text(picked).split(":", -1);
                            if (busy.put(parts[0], true) != null) {
                                clashes.add(text(picked));
                            }
                            delivered
                                    .computeIfAbsent(parts[0], line -> new ArrayList<>())
                                    .add(Integer.valueOf(parts[1]));
                            busy.remove(parts[0]);
                            assertThat(by.done(picked.delivery())).isNotEqualTo(Ended.LOST);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : nodes) {
                each.get(60, SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(clashes).isEmpty();
        assertThat(delivered).hasSize(lines);
        assertThat(delivered.values())
                .allSatisfy(each -> assertThat(each)
                        .isEqualTo(IntStream.range(0, ofEach).boxed().toList()));
    }
}
