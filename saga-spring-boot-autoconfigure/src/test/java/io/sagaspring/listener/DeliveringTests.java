package io.sagaspring.listener;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.run.PermanentFailure;
import io.sagaspring.run.RetryLater;
import io.sagaspring.tenant.Tenants;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests how nodes that share a database deliver events: in order, at least once, with retries. */
class DeliveringTests extends ListenersOnPostgres {

    @Test
    void eachListenerGetsTheEventOnce() {
        ListenerNode node = node();
        node.engine.publish(new Placed("o1", 1));
        assertThat(mailer.received).isEmpty();

        assertThat(node.sweep()).isEqualTo(2);
        assertThat(mailer.received).containsExactly(new Placed("o1", 1));
        assertThat(mailer.ofAudit).containsExactly(new Placed("o1", 1));
        assertThat(mailer.deliveries).singleElement().satisfies(each -> {
            assertThat(each.key()).isEqualTo("mailer:" + each.id());
            assertThat(each.orderKey()).isEqualTo("o1");
            assertThat(each.attempt()).isEqualTo(1);
        });
        assertThat(node.sweep()).isZero();
        assertThat(node.events)
                .containsExactly(
                        DeliveryEvent.PUBLISHED,
                        DeliveryEvent.PUBLISHED,
                        DeliveryEvent.DELIVERED,
                        DeliveryEvent.DELIVERED);
    }

    @Test
    void anEventIsDeliveredAfterTheCommitOfItsPublisher() {
        ListenerNode node = node().opened();
        transaction.executeWithoutResult(status -> {
            node.engine.publish(new Placed("o1", 1));
            assertThat(node.events).isEmpty();
        });

        await().atMost(SOON).until(() -> mailer.received.size() == 1 && mailer.ofAudit.size() == 1);
        assertThat(node.events).contains(DeliveryEvent.PUBLISHED);
    }

    @Test
    void anEventOfATransactionThatRollsBackIsNeverDelivered() {
        ListenerNode node = node().opened();
        transaction.executeWithoutResult(status -> {
            node.engine.publish(new Placed("gone", 1));
            status.setRollbackOnly();
        });
        node.engine.publish(new Placed("o1", 2));

        await().atMost(SOON).until(() -> mailer.received.size() == 1);
        assertThat(mailer.received).containsExactly(new Placed("o1", 2));
        assertThat(node.events.stream().filter(DeliveryEvent.PUBLISHED::equals)).hasSize(2);
    }

    @Test
    void theEventsOfAKeyArriveInOrderEvenIfADeliveryFails() {
        ListenerNode node = node();
        mailer.failures.put("o1", new IllegalStateException("down"));
        for (int number = 1; number <= 3; number++) {
            node.engine.publish(new Placed("o1", number));
            node.engine.publish(new Placed("o2", number));
        }
        int unused = node.sweep();
        assertThat(mailer.received).extracting(Placed::orderId).containsOnly("o2");
        assertThat(mailer.received).extracting(Placed::number).containsExactly(1, 2, 3);

        mailer.failures.clear();
        endPausesAndLeases();
        int again = node.sweep();
        assertThat(again).isEqualTo(3);
        assertThat(mailer.received.subList(3, 6)).extracting(Placed::number).containsExactly(1, 2, 3);
        assertThat(mailer.deliveries.get(mailer.deliveries.size() - 3).attempt())
                .isEqualTo(2);
    }

    @Test
    @ExpectsErrors("Parked delivery mailer:")
    void aDeliveryThatIsParkedAfterItsLastAttemptHoldsUpOnlyItsOwnKey() {
        ListenerNode node = node();
        mailer.failures.put("o1", new IllegalStateException("down"));
        node.engine.publish(new Placed("o1", 1));
        node.engine.publish(new Placed("o1", 2));
        for (int attempt = 0; attempt < 5; attempt++) {
            endPausesAndLeases();
            int unused = node.sweep();
        }
        node.engine.publish(new Placed("o2", 3));
        int unused = node.sweep();

        assertThat(mailer.deliveries.stream().filter(each -> "o1".equals(each.orderKey())))
                .extracting(Delivery::attempt)
                .containsExactly(1, 2, 3);
        assertThat(mailer.received).containsExactly(new Placed("o2", 3));
        List<DeliveryView> parked = node.deliveries().find(DeliveryQuery.in(DeliveryState.PARKED, 10));
        assertThat(parked).singleElement().satisfies(each -> {
            assertThat(each.listener()).isEqualTo("mailer");
            assertThat(each.known()).isTrue();
            assertThat(each.orderKey()).isEqualTo("o1");
            assertThat(each.lastError()).contains("down");
        });

        mailer.failures.clear();
        assertThat(node.deliveries().retry(parked.get(0).id(), "ada")).isTrue();
        int delivered = node.sweep();
        assertThat(delivered).isEqualTo(2);
        assertThat(mailer.received).extracting(Placed::number).containsExactly(3, 1, 2);
    }

    @Test
    @ExpectsErrors("Parked delivery mailer:")
    void theNextEventOfAKeyArrivesAfterAParkedDeliveryIsGivenUp() {
        ListenerNode node = node();
        mailer.failures.put("o1", new Refused());
        node.engine.publish(new Placed("o1", 1));
        node.engine.publish(new Placed("o1", 2));
        int unused = node.sweep();
        mailer.failures.clear();
        long parked = node.deliveries()
                .find(DeliveryQuery.in(DeliveryState.PARKED, 10))
                .get(0)
                .id();

        assertThat(node.deliveries().giveUp(parked, "wrong address", "ada")).isPresent();
        assertThat(node.deliveries().giveUp(parked, "wrong address", "ada")).isEmpty();
        assertThat(node.events).contains(DeliveryEvent.GIVEN_UP);
        assertThat(node.sweep()).isEqualTo(1);
        assertThat(mailer.received).containsExactly(new Placed("o1", 2));
    }

    private static final class Refused extends Exception implements PermanentFailure {

        private static final long serialVersionUID = 1L;
    }

    /** The failure is a checked exception, which the carriers of the context must pass on. */
    @Test
    @ExpectsErrors("Parked delivery mailer:")
    void aPermanentFailureIsNotRetried() {
        ListenerNode node = node();
        mailer.failures.put("o1", new Refused());
        node.engine.publish(new Placed("o1", 1));
        int unused = node.sweep();

        assertThat(mailer.deliveries).hasSize(1);
        assertThat(node.deliveries().find(DeliveryQuery.in(DeliveryState.PARKED, 10)))
                .singleElement()
                .satisfies(each -> assertThat(each.lastError()).contains(Refused.class.getName()));
    }

    private static final class TooEarly extends RuntimeException implements RetryLater {

        private static final long serialVersionUID = 1L;

        @Override
        public Duration retryAfter() {
            return Duration.ofHours(2);
        }
    }

    @Test
    void anExceptionCanSetThePauseBeforeTheNextAttempt() {
        ListenerNode node = node();
        mailer.failures.put("o1", new TooEarly());
        node.engine.publish(new Placed("o1", 1));
        int unused = node.sweep();

        Long minutes = jdbc.sql(
                        "SELECT extract(epoch FROM due_at - clock_timestamp())::bigint / 60 FROM saga_delivery WHERE listener = 'mailer'")
                .query(Long.class)
                .single();
        assertThat(minutes).isBetween(110L, 120L);
    }

    @Test
    void aNodeRetriesADeliveryByItselfAfterThePause() {
        ListenerNode node = node(
                        new ListenerNode.Settings(
                                IMPATIENT,
                                Duration.ofMinutes(5),
                                ListenerNode.LEASE,
                                Duration.ofMinutes(5),
                                Duration.ofMillis(50),
                                Tenants.none(),
                                List.of()),
                        mailer)
                .opened();
        mailer.failures.put("o1", new IllegalStateException("down"));
        mailer.hook = (placed, delivery) -> {
            if (delivery.attempt() == 2) {
                mailer.failures.clear();
            }
        };
        node.engine.publish(new Placed("o1", 1));
        node.engine.publish(new Placed("o1", 2));

        await().atMost(SOON).until(() -> mailer.received.size() == 2);
        assertThat(mailer.received).extracting(Placed::number).containsExactly(1, 2);
    }

    /** The previous owner wakes up after its lease has ended, and must not remove the row that another node is delivering. */
    @Test
    void aPausedNodeChangesNothingAfterAnotherNodeHasTakenOver() {
        ListenerNode paused = node();
        ListenerNode other = node();
        Delivery[] successor = new Delivery[1];
        mailer.hook = (placed, delivery) -> {
            if (delivery.attempt() == 1) {
                endPausesAndLeases();
                successor[0] = other.store.pick("mailer", 1, 3).get(0).delivery();
            }
        };
        paused.engine.publish(new Placed("o1", 1));
        paused.engine.publish(new Placed("o1", 2));
        int unused = paused.sweep();

        assertThat(mailer.received).containsExactly(new Placed("o1", 1));
        assertThat(stored("mailer")).isEqualTo(2);
        assertThat(other.store.done(successor[0])).isEqualTo(DeliveryStore.Ended.OTHERS_FOLLOW);
    }

    @Test
    void aListenerThatNeverReturnsIsInterrupted() {
        ListenerNode node = node(
                        ListenerNode.Settings.standard()
                                .with(IMPATIENT)
                                .lease(Duration.ofMillis(600))
                                .longest(Duration.ofMillis(300)),
                        mailer)
                .opened();
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        mailer.hook = (placed, delivery) -> {
            if (calls.incrementAndGet() == 1) {
                awaitIt(never);
            }
        };
        node.engine.publish(new Placed("o1", 1));

        await().atMost(SOON).until(() -> mailer.received.size() == 1);
        assertThat(calls).hasValue(2);
        // On a slow machine, the lease of an attempt may end before the listener is called.
        assertThat(mailer.deliveries)
                .extracting(Delivery::attempt)
                .hasSize(2)
                .doesNotHaveDuplicates()
                .isSorted();
    }

    private static void awaitIt(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    @Test
    void aNodeThatClosesReleasesItsDeliveriesWithoutCountingTheAttempt() {
        ListenerNode closing = node().opened();
        CountDownLatch never = new CountDownLatch(1);
        mailer.hook = (placed, delivery) -> awaitIt(never);
        closing.engine.publish(new Placed("o1", 1));
        await().atMost(SOON).until(() -> mailer.deliveries.size() == 1);
        closing.engine.close();
        mailer.hook = (placed, delivery) -> {};

        assertThat(node().sweep()).isEqualTo(1);
        assertThat(mailer.deliveries).extracting(Delivery::attempt).containsExactly(1, 1);
    }

    /** All slots of one listener are in use. The other listener has its own slots. */
    @Test
    void aSlowListenerDoesNotDelayAnotherListener() {
        ListenerNode node = node().opened();
        CountDownLatch slow = new CountDownLatch(1);
        mailer.hook = (placed, delivery) -> awaitIt(slow);
        for (int number = 0; number < 8; number++) {
            node.engine.publish(new Placed("o" + number, number));
        }

        await().atMost(SOON).until(() -> mailer.ofAudit.size() == 8);
        await().atMost(SOON).until(() -> mailer.deliveries.size() == 4);
        assertThat(mailer.received).isEmpty();
        slow.countDown();
        await().atMost(SOON).until(() -> mailer.received.size() == 8);
    }

    @Test
    void anotherNodeDeliversTheEventsThatADeadNodeHadPickedUp() {
        ListenerNode node = node();
        node.engine.publish(new Placed("o1", 1));
        node.engine.publish(new Placed("o1", 2));
        assertThat(node.store.pick("mailer", 4, 3)).hasSize(1);
        ListenerNode survivor = node();
        assertThat(survivor.sweep()).as("the audit only").isEqualTo(2);

        endPausesAndLeases();
        assertThat(survivor.sweep()).isEqualTo(2);
        assertThat(mailer.received).extracting(Placed::number).containsExactly(1, 2);
        assertThat(mailer.deliveries.get(0).attempt()).isEqualTo(2);
    }

    @Test
    @ExpectsErrors("no attempt is left. During the last attempt, its node died or lost the lease")
    void aDeliveryThatKillsItsNodesIsParked() {
        ListenerNode node = node();
        node.engine.publish(new Placed("o1", 1));
        for (int attempt = 0; attempt < 3; attempt++) {
            assertThat(node.store.pick("mailer", 4, 3)).hasSize(1);
            endPausesAndLeases();
        }
        int unused = node.sweep();

        assertThat(mailer.deliveries).isEmpty();
        assertThat(node.events).contains(DeliveryEvent.PARKED);
    }
}
