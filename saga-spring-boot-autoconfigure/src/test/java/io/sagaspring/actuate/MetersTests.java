package io.sagaspring.actuate;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.KeyEvent;
import io.sagaspring.janitor.SweepListener;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseEvent;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionListener;
import io.sagaspring.workflow.TransitionOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.support.GenericApplicationContext;

/** The meters start at zero and count events, and a broken registry or listener does not disturb the work. */
class MetersTests {

    private static final MeterFilter REFUSING = new MeterFilter() {
        @Override
        public Meter.Id map(Meter.Id id) {
            if (id.getName().startsWith("saga.")) {
                throw new IllegalStateException("no such meter here");
            }
            return id;
        }
    };

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    @Test
    void everyCounterStartsAtZero() {
        try (Shop shop = Shop.open(database)) {
            MeterRegistry meters = shop.bean(MeterRegistry.class);

            assertThat(meters.find("saga.transitions").counters())
                    .hasSize(2 * 8)
                    .allMatch(counter -> counter.count() == 0)
                    .allMatch(counter -> "parcel".equals(counter.getId().getTag("workflow")))
                    .extracting(counter -> counter.getId().getTag("outcome"))
                    .contains("Completed", "ClaimLost", "exception");
            assertThat(meters.find("saga.janitor.sweeps").counters())
                    .extracting(counter -> counter.getId().getTag("result"))
                    .containsExactlyInAnyOrder("finished", "failed");
            assertThat(meters.get("saga.janitor.recovered")
                            .tag("module", "shop")
                            .counter()
                            .count())
                    .isZero();
            assertThat(meters.get("saga.janitor.blocked")
                            .tag("module", "shop")
                            .counter()
                            .count())
                    .isZero();
            assertThat(meters.get("saga.claims.kept").gauge().value()).isZero();
            assertThat(meters.find("saga.idempotency.keys").counters())
                    .hasSize(KeyEvent.values().length)
                    .allMatch(counter -> counter.count() == 0);
            assertThat(meters.find("saga.leases").counters())
                    .hasSize(LeaseEvent.values().length)
                    .allMatch(counter -> counter.count() == 0);
        }
    }

    @Test
    void leasesAreCountedByEvent() {
        try (Shop shop = Shop.open(database)) {
            LeaseManager leases = shop.bean(LeaseManager.class);
            try (Lease lease = leases.acquire(new LeaseName("till"))) {
                leases.tryAcquire(lease.name());
                leases.tryAcquire(lease.name());
            }

            assertThat(Stream.of("acquired", "taken", "passed", "lost", "released", "completed")
                            .map(event -> (int) shop.bean(MeterRegistry.class)
                                    .get("saga.leases")
                                    .tag("event", event)
                                    .counter()
                                    .count()))
                    .containsExactly(1, 2, 0, 0, 1, 0);
        }
    }

    @Test
    void idempotencyKeysAreCountedByEvent() {
        try (Shop shop = Shop.open(database)) {
            Idempotency idempotency = shop.bean(Idempotency.class);
            for (int request = 1; request <= 3; request++) {
                idempotency.execute(IdempotencyKey.of("pay", "request-1"), String.class, () -> "paid");
            }

            MeterRegistry meters = shop.bean(MeterRegistry.class);
            assertThat(meters.get("saga.idempotency.keys")
                            .tag("event", "completed")
                            .counter()
                            .count())
                    .isOne();
            assertThat(meters.get("saga.idempotency.keys")
                            .tag("event", "replayed")
                            .counter()
                            .count())
                    .isEqualTo(2);
            Awaitility.await()
                    .until(() -> meters.get("saga.idempotency.stored").gauge().value() >= 8_192);
        }
    }

    /** If a new kind of outcome is added, its counter must start at zero, too. */
    @Test
    void everyKindOfOutcomeHasACounter() {
        assertThat(ClaimCounters.OUTCOMES)
                .containsExactlyInAnyOrderElementsOf(Stream.concat(
                                Stream.of(TransitionOutcome.class.getPermittedSubclasses())
                                        .map(Class::getSimpleName),
                                Stream.of("exception"))
                        .toList());
    }

    @Test
    void stepsAreCountedByTheirOutcome() {
        try (Shop shop = Shop.open(database)) {
            long parcel = shop.pack();
            shop.script().action = (entity, context) -> {
                throw new IOException("offline");
            };
            assertThatThrownBy(() -> shop.send(parcel)).isInstanceOf(IOException.class);
            shop.script().action = (entity, context) -> ActionResult.success();
            shop.send(parcel);
            shop.send(parcel);

            assertThat(transitions(shop, "exception")).isEqualTo(1);
            assertThat(transitions(shop, "Completed")).isEqualTo(1);
            assertThat(transitions(shop, "NotApplicable")).isEqualTo(1);
            assertThat(transitions(shop, "Conflict")).isZero();
            assertThat(shop.bean(MeterRegistry.class)
                            .get("saga.transition")
                            .tag("outcome", "Completed")
                            .tag("requester", "admin")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(noTagIs(shop, Long.toString(parcel))).isTrue();
        }
    }

    @Test
    void recoveredAndBlockedClaimsAreCounted() throws Exception {
        try (Shop shop = Shop.open(database, "saga.janitor.stuck-after=1h")) {
            long parcel = shop.pack();
            CountDownLatch arrived = new CountDownLatch(1);
            CountDownLatch released = new CountDownLatch(1);
            shop.script().action = (entity, context) -> {
                arrived.countDown();
                assertThat(released.await(30, SECONDS)).isTrue();
                return ActionResult.success();
            };
            CompletableFuture<TransitionOutcome> owner = OwnThread.call(() -> shop.send(parcel));
            assertThat(arrived.await(20, SECONDS)).isTrue();
            assertThat(value(shop, "saga.claims.kept")).isEqualTo(1);
            await(() -> sweeps(shop) == 1);
            shop.silence(Duration.ofHours(2));

            shop.inTransaction(entities -> {
                entities.createNativeQuery("SELECT 1 FROM parcel WHERE id = " + parcel + " FOR UPDATE")
                        .getResultList();
                // Run the sweep on another thread. On this thread it would run in the transaction that holds the lock.
                assertThat(OwnThread.call(() -> shop.sweep()).join()).isZero();
                return null;
            });
            assertThat(counter(shop, "saga.janitor.blocked")).isEqualTo(1);
            assertThat(shop.sweep()).isEqualTo(1);

            assertThat(counter(shop, "saga.janitor.recovered")).isEqualTo(1);
            assertThat(sweeps(shop)).isEqualTo(3);
            released.countDown();
            assertThat(owner.get(20, SECONDS)).isEqualTo(new TransitionOutcome.ClaimLost());
            assertThat(value(shop, "saga.claims.kept")).isZero();
        }
    }

    @Test
    void aSweepThatFailsIsCountedAsFailed() {
        try (Shop shop = Shop.open(database)) {
            await(() -> sweeps(shop) == 1);
            shop.database().sql("ALTER TABLE saga_claim RENAME TO hidden").update();

            assertThatThrownBy(() -> shop.sweep());

            assertThat(shop.bean(MeterRegistry.class)
                            .get("saga.janitor.sweeps")
                            .tag("result", "failed")
                            .counter()
                            .count())
                    .isEqualTo(1);
        }
    }

    @Test
    @ExpectsErrors("no mail server")
    void aScrapeShowsParkedWorkWithoutWaitingForTheDatabase() {
        try (Shop shop = Shop.open(database, "saga.due.max-attempts=1")) {
            shop.script().afterEffect = (entity, context) -> {
                throw new IllegalStateException("no mail server");
            };
            shop.send(shop.pack());
            await(() -> shop.database()
                            .sql("SELECT count(*) FROM saga_due WHERE parked_at IS NOT NULL")
                            .query(Integer.class)
                            .single()
                    == 1);

            assertThat(value(shop, "saga.due.parked")).isNaN();
            await(() -> value(shop, "saga.due.parked") == 1);
        }
    }

    @Test
    void aRegistryThatThrowsDoesNotChangeTheOutcomeOfAStep() {
        try (Shop shop = Shop.open(database)) {
            // The filter refuses only new meters. The timer is not registered yet, and clearing the registry removes
            // the counters.
            shop.bean(MeterRegistry.class).config().meterFilter(REFUSING);
            shop.bean(MeterRegistry.class).clear();
            long parcel = shop.pack();

            assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Completed("SENT", null));
            assertThat(shop.status(parcel)).isEqualTo("SENT");
        }
    }

    @Test
    void theApplicationStartsWithABrokenRegistry() {
        SimpleMeterRegistry broken = new SimpleMeterRegistry();
        broken.config().meterFilter(REFUSING);

        try (Shop shop = open(broken)) {
            assertThat(shop.send(shop.pack())).isEqualTo(new TransitionOutcome.Completed("SENT", null));
            assertThat(shop.sweep()).isZero();
        }
    }

    @Test
    void sweepListenersAndCountersAreCalledDespiteABrokenListener() {
        CompletableFuture<String> swept = new CompletableFuture<>();
        SweepListener broken = new SweepListener() {
            @Override
            public void swept(String module, boolean failed) {
                throw new NoClassDefFoundError("broken listener");
            }
        };
        SweepListener listening = new SweepListener() {
            @Override
            public void swept(String module, boolean failed) {
                swept.complete(module);
            }
        };
        try (Shop shop = Shop.open(
                database,
                application -> application.initializers(context -> {
                    ((GenericApplicationContext) context).registerBean("broken", SweepListener.class, () -> broken);
                    ((GenericApplicationContext) context)
                            .registerBean("listening", SweepListener.class, () -> listening);
                }))) {
            assertThat(shop.sweep()).isZero();

            assertThat(swept).isCompletedWithValue("shop");
            assertThat(sweeps(shop)).isPositive();
            assertThat(shop.context().getBeansOfType(TransitionListener.class)).containsOnlyKeys("sagaClaimCounters");
        }
    }

    private Shop open(MeterRegistry registry) {
        return Shop.open(
                database,
                application -> application.initializers(context -> ((GenericApplicationContext) context)
                        .registerBean("brokenRegistry", MeterRegistry.class, () -> registry)));
    }

    private static double transitions(Shop shop, String outcome) {
        return shop.bean(MeterRegistry.class)
                .get("saga.transitions")
                .tag("step", "send")
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    private static double counter(Shop shop, String name) {
        return shop.bean(MeterRegistry.class)
                .get(name)
                .tag("module", "shop")
                .counter()
                .count();
    }

    private static double sweeps(Shop shop) {
        return shop.bean(MeterRegistry.class)
                .get("saga.janitor.sweeps")
                .tag("result", "finished")
                .counter()
                .count();
    }

    private static double value(Shop shop, String gauge) {
        return shop.bean(MeterRegistry.class).get(gauge).gauge().value();
    }

    private static boolean noTagIs(Shop shop, String id) {
        List<Tag> tags = shop.bean(MeterRegistry.class).getMeters().stream()
                .filter(meter -> meter.getId().getName().startsWith("saga."))
                .flatMap(meter -> meter.getId().getTags().stream())
                .toList();
        assertThat(tags).isNotEmpty();
        return tags.stream()
                .noneMatch(tag -> tag.getValue().equals(id) || tag.getKey().contains("id"));
    }

    private static void await(BooleanSupplier condition) {
        Awaitility.await().atMost(20, SECONDS).until(condition::getAsBoolean);
    }
}
