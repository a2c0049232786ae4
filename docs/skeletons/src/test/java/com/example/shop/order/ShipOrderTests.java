package com.example.shop.order;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.definition.Requester;
import io.sagaspring.test.database.FreshDatabase;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.TransitionOutcome.ClaimFailed;
import io.sagaspring.workflow.TransitionOutcome.Completed;
import io.sagaspring.workflow.Workflows;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

@SpringBootTest
@FreshDatabase
class ShipOrderTests {

    @Autowired
    Workflows workflows;

    @Autowired
    Orders orders;

    @Autowired
    BusyWarehouse warehouse;

    @Test
    void onlyOneOfTwoConcurrentCallersShips() throws Exception {
        long order = Objects.requireNonNull(orders.save(new PurchaseOrder()).id());
        CompletableFuture<TransitionOutcome> first = CompletableFuture.supplyAsync(() -> ship(order));
        warehouse.awaitOrder();

        TransitionOutcome second = ship(order);
        warehouse.finish();

        assertThat(second).isEqualTo(new ClaimFailed("SHIPPING"));
        assertThat(first.get(30, SECONDS)).isEqualTo(new Completed("SHIPPED", null));
        assertThat(warehouse.shipments).hasValue(1);
        PurchaseOrder shipped = orders.findById(order).orElseThrow();
        assertThat(shipped.status()).isEqualTo(OrderStatus.SHIPPED);
        assertThat(shipped.parcel()).isEqualTo("parcel-1");
    }

    private TransitionOutcome ship(long order) {
        return workflows.run("order", order, "ship", Requester.of("clerk"));
    }

    @TestConfiguration
    static class Fakes {

        @Bean
        @Primary
        BusyWarehouse busyWarehouse() {
            return new BusyWarehouse();
        }
    }

    /** A warehouse that does not finish until the test lets it. */
    static class BusyWarehouse implements Warehouse {

        final AtomicInteger shipments = new AtomicInteger();
        private final CountDownLatch orderReceived = new CountDownLatch(1);
        private final CountDownLatch finished = new CountDownLatch(1);

        @Override
        public String ship(long order) throws InterruptedException {
            int shipment = shipments.incrementAndGet();
            orderReceived.countDown();
            await(finished);
            return "parcel-" + shipment;
        }

        void awaitOrder() throws InterruptedException {
            await(orderReceived);
        }

        void finish() {
            finished.countDown();
        }

        private static void await(CountDownLatch latch) throws InterruptedException {
            assertThat(latch.await(30, SECONDS)).isTrue();
        }
    }
}
