package io.sagaspring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import org.junit.jupiter.api.Test;

/** Tests that neither a listener nor an observer that throws an error keeps other events from being delivered. */
class ThrowingListenersTests extends ListenersOnPostgres {

    private static void fail() {
        throw new LinkageError("A class is missing.");
    }

    @Test
    void anErrorOfAListenerIsAFailedAttemptAndDelaysNoOtherKey() {
        ListenerNode node = node().opened();
        mailer.hook = (placed, delivery) -> {
            if (placed.orderId().equals("o1")) {
                fail();
            }
        };
        for (int number = 0; number < 6; number++) {
            node.engine.publish(new Placed("o1", number));
            node.engine.publish(new Placed("o2", number));
        }

        await().atMost(SOON).until(() -> mailer.received.size() == 6);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(node.deliveries().find(DeliveryQuery.in(DeliveryState.RETRYING, 10)))
                        .singleElement()
                        .satisfies(each -> assertThat(each.lastError()).contains("A class is missing.")));
    }

    @Test
    void anObserverThatThrowsStopsNeitherThePublisherNorTheDelivery() {
        ListenerNode node = node();
        node.observers.add(0, (listener, event, delivery) -> fail());
        transaction.executeWithoutResult(status -> node.engine.publish(new Placed("o1", 1)));

        assertThat(node.sweep()).isEqualTo(2);
        assertThat(mailer.received).containsExactly(new Placed("o1", 1));
        assertThat(node.events)
                .containsExactly(
                        DeliveryEvent.PUBLISHED,
                        DeliveryEvent.PUBLISHED,
                        DeliveryEvent.DELIVERED,
                        DeliveryEvent.DELIVERED);
    }

    /** The pickup parks the first delivery and picks up the second one. An observer is called in between. */
    @Test
    @ExpectsErrors("no attempt is left. During the last attempt, its node died or lost the lease")
    void anObserverThatThrowsLosesNoDeliveryThatThePickupHasTaken() {
        ListenerNode node = node();
        node.observers.add(0, (listener, event, delivery) -> fail());
        node.engine.publish(new Placed("o1", 1));
        for (int attempt = 0; attempt < 3; attempt++) {
            assertThat(node.store.pick("mailer", 1, 3)).hasSize(1);
            endPausesAndLeases();
        }
        node.engine.publish(new Placed("o2", 2));

        int unused = node.sweep();
        assertThat(mailer.received).containsExactly(new Placed("o2", 2));
        assertThat(node.events).contains(DeliveryEvent.PARKED, DeliveryEvent.DELIVERED);
    }
}
