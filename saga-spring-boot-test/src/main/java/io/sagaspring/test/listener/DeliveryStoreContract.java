package io.sagaspring.test.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.HeldLease;
import io.sagaspring.listener.Delivery;
import io.sagaspring.listener.DeliveryQuery;
import io.sagaspring.listener.DeliveryState;
import io.sagaspring.listener.DeliveryStore.Addressee;
import io.sagaspring.listener.DeliveryStore.Ended;
import io.sagaspring.listener.DeliveryStore.PickedUp;
import io.sagaspring.listener.DeliveryView;
import io.sagaspring.listener.ListenerBacklog;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The contract of every store of deliveries, in the form of tests. Extend this class to test your own store. The tests may share one store,
 * because each of them uses new listeners.
 *
 * @since 0.1.0
 */
public abstract class DeliveryStoreContract extends DeliveryOrderContract {

    /** Creates the contract for the store of the subclass. */
    protected DeliveryStoreContract() {}

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
        assertThat(ofOther.get(0).delivery().key())
                .isNotEqualTo(picked.delivery().key());
    }

    @Test
    void noMoreThanTheFreeSlotsArePickedUp() {
        IntStream.range(0, 5).forEach(each -> publish("p" + each, each));

        assertThat(pick(store(), 3)).hasSize(3);
        assertThat(pick(store(), 3)).hasSize(2);
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
        assertThat(store().untilDue(listener, HOUR))
                .hasValueSatisfying(until -> assertThat(until).isBetween(LEASE.minusMinutes(1), LEASE));
        assertThat(fail(delivery, HOUR.multipliedBy(2), false)).isTrue();
        assertThat(store().untilDue(listener, HOUR)).isEmpty();
        assertThat(store().untilDue(listener, HOUR.multipliedBy(3))).isPresent();
    }

    @Test
    void deliveriesAreFoundByTheirProperties() {
        publish("a", 1);
        publish("b", 2);
        String other = listener + "-gone";
        publish("c", List.of(new Addressee(other, "Event", 1, null)));
        List<PickedUp> picked = pick(store(), 10);
        assertThat(fail(picked.get(0).delivery(), HOUR, false)).isTrue();

        assertThat(all())
                .extracting(DeliveryView::state)
                .containsExactlyInAnyOrder(DeliveryState.RETRYING, DeliveryState.DELIVERING);
        assertThat(store().find(new DeliveryQuery(listener, "key-2", null, null, 10)))
                .singleElement()
                .satisfies(each -> assertThat(each.orderKey()).isEqualTo("key-2"));
        assertThat(store().find(new DeliveryQuery(listener, null, "acme", null, 10)))
                .hasSize(2);
        assertThat(store().find(new DeliveryQuery(listener, null, "", null, 10)))
                .isEmpty();
        assertThat(store().find(new DeliveryQuery(other, null, null, DeliveryState.WAITING, 10)))
                .hasSize(1);
        DeliveryView first = store().find(DeliveryQuery.of(listener, 1)).get(0);
        assertThat(store().find(new DeliveryQuery(listener, null, null, null, first.id(), 10)))
                .singleElement()
                .satisfies(each -> assertThat(each.id()).isGreaterThan(first.id()));
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
}
