package io.sagaspring.listener;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.run.PermanentFailure;
import io.sagaspring.run.RetryLater;
import io.sagaspring.run.RunCarrier;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Pool;
import io.sagaspring.tenant.TenantContext;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests how nodes that share a database deliver events: in order, at least once, with retries. */
class DeliveringTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final HikariDataSource connections = Pool.of(database);
    private static final SagaSchema schema = SagaSchema.migrate(connections, null);
    private static final JdbcClient jdbc = JdbcClient.create(connections);
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Map<String, ListenerSettings.Of> IMPATIENT =
            Map.of("mailer", new ListenerSettings.Of(null, null, Duration.ofMillis(10), null, null));

    private final List<ListenerNode> nodes = new ArrayList<>();
    private final Mailer mailer = new Mailer();
    private final TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(connections));

    record Placed(String orderId, int number) {}

    static class Mailer {

        final List<Placed> received = new CopyOnWriteArrayList<>();
        final List<Delivery> deliveries = new CopyOnWriteArrayList<>();
        final List<Placed> ofAudit = new CopyOnWriteArrayList<>();
        final Map<String, Exception> failures = new ConcurrentHashMap<>();
        volatile BiConsumer<Placed, Delivery> hook = (placed, delivery) -> {};

        @DurableListener(id = "mailer", key = "#placed.orderId()", attempts = 3)
        void placed(Placed placed, Delivery delivery) throws Exception {
            deliveries.add(delivery);
            hook.accept(placed, delivery);
            Exception failure = failures.get(placed.orderId());
            if (failure != null) {
                throw failure;
            }
            received.add(placed);
        }

        @DurableListener(id = "audit")
        void audit(Placed placed) {
            ofAudit.add(placed);
        }
    }

    @BeforeEach
    void empty() {
        int unused = jdbc.sql("DELETE FROM saga_delivery").update();
    }

    @AfterEach
    void closeNodes() {
        nodes.forEach(ListenerNode::close);
    }

    @AfterAll
    static void drop() {
        connections.close();
        database.close();
    }

    private ListenerNode node(ListenerNode.Settings settings, Object... listeners) {
        ListenerNode node = new ListenerNode(schema, connections, "node-" + nodes.size(), settings, listeners);
        nodes.add(node);
        return node;
    }

    private ListenerNode node() {
        return node(ListenerNode.Settings.standard(), mailer);
    }

    private static long stored(String listener) {
        return jdbc.sql("SELECT count(*) FROM saga_delivery WHERE listener = ?")
                .param(listener)
                .query(Long.class)
                .single();
    }

    private static void endPausesAndLeases() {
        int unused = jdbc.sql("UPDATE saga_delivery SET due_at = clock_timestamp()").update();
    }

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
    void aNodeDeliversAtOnceAfterTheCommitOfItsPublisher() {
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
    void theEventsOfAKeyArriveInTheirOrderAlsoIfOneFails() {
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
        assertThat(mailer.deliveries.get(mailer.deliveries.size() - 3).attempt()).isEqualTo(2);
    }

    @Test
    @ExpectsErrors("Parked delivery mailer:")
    void aDeliveryIsParkedAfterItsLastAttemptAndHoldsUpItsKeyOnly() {
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
    void afterAParkedDeliveryIsGivenUpTheNextOfItsKeyArrives() {
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

    /** A checked exception, which passes through the carriers of the context. */
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
    void anExceptionCanNameThePause() {
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
    void aNodeRetriesByItselfAfterThePause() {
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
    void aNodeThatWasPausedChangesNothingAfterAnotherHasTakenOver() {
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
        mailer.hook = (placed, delivery) -> {
            if (delivery.attempt() == 1) {
                awaitIt(never);
            }
        };
        node.engine.publish(new Placed("o1", 1));

        await().atMost(SOON).until(() -> mailer.received.size() == 1);
        assertThat(mailer.deliveries).extracting(Delivery::attempt).containsExactly(1, 2);
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

    /** All slots of one listener are in use. The other one has slots of its own. */
    @Test
    void aSlowListenerDelaysNoOther() {
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

    static class Renamed {

        @DurableListener(id = "renamed")
        void placed(Placed placed) {}
    }

    @Test
    void deliveriesOfAListenerThatNoLongerExistsAreShownAndNotLost() {
        node().engine.publish(new Placed("o1", 1));
        ListenerNode later = node(ListenerNode.Settings.standard(), new Renamed());

        assertThat(later.sweep()).isZero();
        assertThat(later.deliveries().backlog())
                .extracting(ListenerBacklog::listener, ListenerBacklog::known, ListenerBacklog::stored)
                .containsExactly(
                        tuple("audit", false, 1),
                        tuple("mailer", false, 1));
        DeliveryView left =
                later.deliveries().find(DeliveryQuery.of("mailer", 10)).get(0);
        assertThat(left.known()).isFalse();
        assertThat(later.deliveries().giveUp(left.id(), "the mailer is gone", "ada"))
                .isPresent();
        assertThat(node().sweep()).isEqualTo(1);
    }

    @Test
    void aNodeCanLeaveAListenerToOthers() {
        ListenerNode node = node(
                ListenerNode.Settings.standard()
                        .with(Map.of("mailer", new ListenerSettings.Of(false, null, null, null, null))),
                mailer);
        node.engine.publish(new Placed("o1", 1));

        assertThat(node.sweep()).isEqualTo(1);
        assertThat(stored("mailer")).isEqualTo(1);
        assertThat(node().sweep()).isEqualTo(1);
    }

    static class Base {
        public int number;
    }

    static class Derived extends Base {
        public int more;
    }

    static class OfBase {

        @DurableListener(id = "of-base")
        void base(Base base) {}
    }

    /** Without the check, the listener would get an object of another class, without its fields. */
    @Test
    void anEventThatWouldLoseItsClassIsRefused() {
        ListenerNode node = node(ListenerNode.Settings.standard(), new OfBase());
        node.engine.publish(new Base());

        assertThatThrownBy(() -> node.engine.publish(new Derived()))
                .hasMessage(
                        "The event %s was not published, because the durable listener 'of-base' would get it as %s. Declare the class of the event as its parameter, or record the class with @JsonTypeInfo."
                                .formatted(Derived.class.getName(), Base.class.getName()));
        assertThat(stored("of-base")).isEqualTo(1);
    }

    @Test
    void anEventWithoutAKeyIsStoredForNoListener() {
        ListenerNode node = node();

        assertThatThrownBy(() -> node.engine.publish(new Placed(" ", 1))).hasMessageContaining("'mailer'");
        assertThat(stored("audit")).isZero();
    }

    private static final class Companies implements TenantContext {

        static final ThreadLocal<@Nullable String> CURRENT = new ThreadLocal<>();

        @Override
        public @Nullable String current() {
            return CURRENT.get();
        }

        @Override
        public <T extends @Nullable Object> T call(@Nullable String tenant, Callable<T> work) throws Exception {
            String before = CURRENT.get();
            CURRENT.set(tenant);
            try {
                return work.call();
            } finally {
                CURRENT.set(before);
            }
        }

        @Override
        public Collection<String> all() {
            return List.of("acme", "umbrella");
        }
    }

    private static final class Word implements RunCarrier {

        static final ThreadLocal<@Nullable String> WORD = new ThreadLocal<>();

        @Override
        public void capture(Map<String, String> carried) {
            String word = WORD.get();
            if (word != null) {
                carried.put("word", word);
            }
        }

        @Override
        public void restore(Map<String, String> carried, String run, Runnable work) {
            WORD.set(carried.get("word"));
            try {
                work.run();
            } finally {
                WORD.remove();
            }
        }
    }

    @Test
    void aListenerWorksForTheTenantAndInTheContextOfThePublisher() throws Exception {
        Companies companies = new Companies();
        List<String> seen = new CopyOnWriteArrayList<>();
        ListenerNode node =
                node(ListenerNode.Settings.standard().of(Tenants.of(companies), List.of(new Word())), mailer);
        mailer.hook = (placed, delivery) -> seen.add(companies.current() + " " + Word.WORD.get());
        Word.WORD.set("hello");
        for (String tenant : new String[] {"acme", "umbrella", null}) {
            boolean unused = companies.call(tenant, () -> {
                node.engine.publish(new Placed("o1", 1));
                return true;
            });
        }
        Word.WORD.remove();
        int unused = node.sweep();

        assertThat(seen).containsExactlyInAnyOrder("acme hello", "umbrella hello", "null hello");
        assertThat(companies.current()).isNull();
    }

    /** The keys of two tenants are different keys, so a parked delivery of one does not hold up the other. */
    @Test
    void tenantsDoNotWaitForEachOther() throws Exception {
        Companies companies = new Companies();
        ListenerNode node = node(ListenerNode.Settings.standard().of(Tenants.of(companies), List.of()), mailer);
        mailer.hook = (placed, delivery) -> {
            if ("acme".equals(companies.current())) {
                throw new IllegalStateException("down");
            }
        };
        for (String tenant : List.of("acme", "umbrella")) {
            boolean unused = companies.call(tenant, () -> {
                node.engine.publish(new Placed("o1", 1));
                return true;
            });
        }
        int unused = node.sweep();

        assertThat(mailer.received).hasSize(1);
        assertThat(node.deliveries().find(new DeliveryQuery("mailer", null, "acme", null, 10)))
                .hasSize(1);
    }

    private static final class Forgetful implements RunCarrier {

        @Override
        public void capture(Map<String, String> carried) {}

        @Override
        public void restore(Map<String, String> carried, String run, Runnable work) {}
    }

    /** The work was not called, so the delivery must not be removed. */
    @Test
    void aCarrierThatForgetsTheWorkLosesNoDelivery() {
        ListenerNode node = node(
                ListenerNode.Settings.standard().of(Tenants.none(), List.of(new Forgetful())), new Renamed());
        node.engine.publish(new Placed("o1", 1));
        int unused = node.sweep();

        assertThat(stored("renamed")).isEqualTo(1);
    }

    @Test
    void anotherNodeDeliversWhatADeadNodeHasPickedUp() {
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
    @ExpectsErrors("no attempt is left, and in the last one its node died or lost the lease")
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
