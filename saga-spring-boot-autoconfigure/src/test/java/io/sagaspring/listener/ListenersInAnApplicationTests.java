package io.sagaspring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.EventListener;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.core.annotation.Order;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests durable listeners as an application declares them. */
class ListenersInAnApplicationTests {

    static final Duration SOON = Duration.ofSeconds(20);

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    record Placed(String orderId, int number) {}

    record Shipped(String orderId) {}

    static class Mailer {

        final List<Placed> received = new CopyOnWriteArrayList<>();
        final List<String> contexts = new CopyOnWriteArrayList<>();

        @DurableListener(id = "mailer", key = "#placed.orderId()")
        void placed(Placed placed, Delivery delivery) {
            contexts.add(MDC.get("customer") + " " + TransactionSynchronizationManager.isActualTransactionActive());
            received.add(placed);
        }
    }

    /** A bean with a proxy. */
    static class Warehouse {

        private final List<Shipped> events = new CopyOnWriteArrayList<>();

        public List<Shipped> events() {
            return events;
        }

        @Transactional
        @DurableListener(id = "warehouse")
        public void shipped(Shipped event) {
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isTrue();
            events.add(event);
        }
    }

    /** Publishes an event while it handles another event, and publishes one more event after the commit. */
    static class Relay {

        final ApplicationEventPublisher events;

        Relay(ApplicationEventPublisher events) {
            this.events = events;
        }

        @EventListener
        @Order(0)
        void placed(Placed placed) {
            if (placed.number() == 1) {
                events.publishEvent(new Placed(placed.orderId(), 2));
            }
        }

        @TransactionalEventListener
        void committed(Placed placed) {
            events.publishEvent(new Shipped(placed.orderId() + "-" + placed.number()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Listening {

        @Bean
        Mailer mailer() {
            return new Mailer();
        }

        @Bean
        Warehouse warehouse() {
            return new Warehouse();
        }

        @Bean
        Relay relay(ApplicationEventPublisher events) {
            return new Relay(events);
        }
    }

    private Shop open(Class<?> sources, String... properties) {
        return Shop.open(database, application -> application.sources(sources), properties);
    }

    static TransactionTemplate transaction(Shop shop) {
        return new TransactionTemplate(shop.bean(PlatformTransactionManager.class));
    }

    static long stored(Shop shop) {
        return shop.database()
                .sql("SELECT count(*) FROM saga_delivery")
                .query(Long.class)
                .single();
    }

    @Test
    void anEventIsDeliveredAfterTheCommitInTheContextOfItsPublisher() {
        try (Shop shop = open(Listening.class)) {
            Mailer mailer = shop.bean(Mailer.class);
            MDC.put("customer", "ada");
            try {
                transaction(shop).executeWithoutResult(status -> {
                    shop.context().publishEvent(new Placed("o1", 7));
                    assertThat(stored(shop)).as("seen by others").isZero();
                });
            } finally {
                MDC.remove("customer");
            }

            await().atMost(SOON).until(() -> mailer.received.size() == 1);
            assertThat(mailer.received).containsExactly(new Placed("o1", 7));
            assertThat(mailer.contexts).containsExactly("ada false");
            await().atMost(SOON).until(() -> stored(shop) == 0);
        }
    }

    /** An event that a listener publishes is delivered after the event that the listener handles. */
    @Test
    void eventsAreDeliveredInTheOrderOfPublishing() {
        try (Shop shop = open(Listening.class)) {
            Mailer mailer = shop.bean(Mailer.class);
            transaction(shop).executeWithoutResult(status -> shop.context().publishEvent(new Placed("o1", 1)));

            await().atMost(SOON).until(() -> mailer.received.size() == 2);
            assertThat(mailer.received).extracting(Placed::number).containsExactly(1, 2);
        }
    }

    /**
     * After the commit, there is no transaction that could store the event. The library stores the event immediately.
     */
    @Test
    void anEventThatIsPublishedAfterACommitIsDelivered() {
        try (Shop shop = open(Listening.class)) {
            Warehouse warehouse = shop.bean(Warehouse.class);
            transaction(shop).executeWithoutResult(status -> shop.context().publishEvent(new Placed("o1", 3)));

            await().atMost(SOON).until(() -> warehouse.events().size() == 1);
            assertThat(warehouse.events()).containsExactly(new Shipped("o1-3"));
        }
    }

    @Test
    void anEventOutsideATransactionIsStoredBeforeThePublisherContinues() {
        try (Shop shop = open(Listening.class, "saga.listeners.enabled=false")) {
            shop.context().publishEvent(new Shipped("o1"));
            assertThat(stored(shop)).isEqualTo(1);
            assertThat(threads()).noneMatch(name -> name.startsWith("saga-listener"));
        }
        try (Shop shop = open(Listening.class)) {
            Warehouse warehouse = shop.bean(Warehouse.class);
            await().atMost(SOON).until(() -> warehouse.events().size() == 1);
        }
    }

    @Test
    void anEventOfATransactionThatRollsBackIsNotStored() {
        try (Shop shop = open(Listening.class, "saga.listeners.enabled=false")) {
            transaction(shop).executeWithoutResult(status -> {
                shop.context().publishEvent(new Placed("o1", 5));
                status.setRollbackOnly();
            });
            assertThat(stored(shop)).isZero();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Asynchronous {

        @Bean
        ApplicationEventMulticaster applicationEventMulticaster() {
            SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
            multicaster.setTaskExecutor(new SimpleAsyncTaskExecutor());
            return multicaster;
        }

        @Bean
        Mailer mailer() {
            return new Mailer();
        }
    }

    /** On another thread, the event would be stored although the transaction of its publisher rolls back. */
    @Test
    void anAsynchronousMulticasterDoesNotSeparateAnEventFromItsTransaction() {
        try (Shop shop = open(Asynchronous.class, "saga.listeners.enabled=false")) {
            transaction(shop).executeWithoutResult(status -> {
                shop.context().publishEvent(new Placed("o1", 5));
                status.setRollbackOnly();
            });
            transaction(shop).executeWithoutResult(status -> shop.context().publishEvent(new Placed("o1", 6)));

            assertThat(stored(shop)).isEqualTo(1);
        }
    }

    static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
    }

    @Test
    void aReadOnlyTransactionCannotPublishAnEvent() {
        try (Shop shop = open(Listening.class)) {
            TransactionTemplate readOnly = transaction(shop);
            readOnly.setReadOnly(true);

            assertThatThrownBy(() -> readOnly.executeWithoutResult(
                            status -> shop.context().publishEvent(new Placed("o1", 1))))
                    .hasMessageContaining("the current transaction is read-only, so the event cannot be stored");
        }
    }
}
