package io.sagaspring.entity;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.entity.supported.MapCache;
import io.sagaspring.entity.supported.Supported;
import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.LockWaits;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.AfterEffect;
import io.sagaspring.workflow.StepAction;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.UnknownException;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Every mapping that is supported takes a step, loses a race to exactly one winner, is freed after silence, and is found
 * where nobody has claimed it.
 */
class SupportedMappingTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop =
            Shop.open(database, application -> application.sources(Mapped.class), properties());
    private static final AtomicInteger ids = new AtomicInteger();
    private static final AtomicInteger bodies = new AtomicInteger();

    /** The ways of mapping. */
    enum Mapping {
        LONG(Supported.NumberedByLong.class, Long::valueOf),
        PRIMITIVE(Supported.NumberedByPrimitive.class, Long::valueOf),
        INTEGER(Supported.NumberedByInteger.class, Integer::valueOf),
        SHORT(Supported.NumberedByShort.class, number -> (short) number),
        BIG_INTEGER(Supported.NumberedByBigInteger.class, BigInteger::valueOf),
        UUIDS(Supported.NamedByUuid.class, number -> new UUID(number, -number)),
        TEXT(Supported.NamedByText.class, number -> "it's №" + number),
        MAPPED_SUPERCLASS(Supported.Inheriting.class, Long::valueOf),
        QUOTED(Supported.Quoted.class, Long::valueOf),
        JOINED_STATUS_IN_ROOT(Supported.Letter.class, Long::valueOf),
        JOINED_SIBLING_STATUS_IN_ROOT(Supported.Receipt.class, Long::valueOf),
        JOINED_STATUS_IN_SUBCLASS(Supported.Car.class, Long::valueOf),
        JOINED_SIBLING_STATUS_IN_SUBCLASS(Supported.Boat.class, Long::valueOf),
        JOINED_STATUS_IN_THE_MIDDLE(Supported.Taxi.class, Long::valueOf),
        CACHED(Supported.Remembered.class, Long::valueOf),
        SECONDARY_TABLE(Supported.Split.class, Long::valueOf),
        TABLE_PER_CLASS(Supported.Circle.class, Long::valueOf),
        SINGLE_TABLE(Supported.Animal.class, Long::valueOf);

        private final Class<?> entity;

        @SuppressWarnings("ImmutableEnumChecker") // What makes an id holds nothing.
        private final IntFunction<Object> id;

        Mapping(Class<?> entity, IntFunction<Object> id) {
            this.entity = entity;
            this.id = id;
        }

        String workflow() {
            return entity.getSimpleName().toLowerCase(java.util.Locale.ROOT);
        }

        List<String> states() {
            return this == TEXT
                    ? List.of("it's open", "it's closing", "it's closed")
                    : List.of("OPEN", "CLOSING", "CLOSED");
        }

        ClaimState claimState() {
            return shop.bean(DeclaredClaimStates.class).all().stream()
                    .filter(state -> state.workflow().equals(workflow()))
                    .findFirst()
                    .orElseThrow();
        }

        EntityTable table() {
            return shop.bean(DeclaredClaimStates.class).tableOf(claimState());
        }

        Object save() {
            return save(entity);
        }

        Object save(Class<?> type) {
            Object key = id.apply(ids.incrementAndGet());
            shop.inTransaction(entities -> {
                try {
                    entities.persist(type.getConstructor(key.getClass()).newInstance(key));
                } catch (ReflectiveOperationException impossible) {
                    throw new IllegalStateException(impossible);
                }
                return null;
            });
            return key;
        }

        /** As JPA reads it. */
        EntityRow read(Object key) {
            return shop.inTransaction(entities -> {
                LoadedEntity found = new LoadedEntity(table(), entities, key, entities.find(entity, key));
                return new EntityRow(found.status().strip(), found.version());
            });
        }

        void writeStatus(Object key, String status) {
            shop.inTransaction(entities -> {
                new LoadedEntity(table(), entities, key, entities.find(entity, key)).setStatus(status);
                return null;
            });
        }

        TransitionOutcome close(Object key) {
            return shop.workflows().run(workflow(), key, "close", Shop.ADMIN);
        }

        ClaimAttempt claim(Object key) {
            return shop.bean(ClaimService.class).tryClaim(claimState(), key, "admin");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Supported.class)
    @Import(MappedJanitor.class)
    static class Mapped {

        @Bean
        StepAction<Object> closeAnything() {
            return (entity, context) -> {
                bodies.incrementAndGet();
                return ActionResult.success();
            };
        }

        @Bean
        AfterEffect<Object> follow() {
            return (entity, context) -> following.run(entity, context);
        }
    }

    private static volatile AfterEffect<Object> following = (entity, context) -> {};

    @ClaimJanitor(module = "mapped")
    static class MappedJanitor extends ScheduledClaimJanitor {}

    private static String[] properties() {
        List<String> properties = new ArrayList<>();
        properties.add("saga.due.first-delay=10ms");
        properties.add("saga.due.poll-interval=100ms");
        properties.add("spring.jpa.properties.hibernate.hbm2ddl.create_namespaces=true");
        properties.add("spring.jpa.properties.hibernate.cache.use_second_level_cache=true");
        properties.add("spring.jpa.properties.hibernate.cache.region.factory_class=" + MapCache.class.getName());
        for (Mapping mapping : Mapping.values()) {
            String path = "saga.workflows.%s.".formatted(mapping.workflow());
            List<String> states = mapping.states();
            properties.add(path + "module=mapped");
            properties.add(path + "entity=" + mapping.entity.getName());
            if (mapping == Mapping.TEXT) {
                properties.add(path + "status-property=phase");
            }
            properties.add(path + "status-types=" + String.join(",", states));
            properties.add(path + "requesters=admin,system");
            properties.add(path + "steps[0].step-id=1");
            properties.add(path + "steps[0].step-key=close");
            properties.add(path + "steps[0].status=" + states.get(0));
            properties.add(path + "steps[0].claim-state.admin=" + states.get(1) + "," + states.get(0));
            properties.add(path + "steps[0].successful-state.any=" + states.get(2));
            properties.add(path + "steps[0].action.any=closeAnything");
            if (mapping == Mapping.CACHED) {
                properties.add(path + "steps[0].success-after-effect.any=follow");
            }
        }
        return properties.toArray(String[]::new);
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @ParameterizedTest
    @EnumSource
    void takesAStep(Mapping mapping) {
        Object key = mapping.save();

        assertThat(mapping.close(key))
                .isEqualTo(new TransitionOutcome.Completed(mapping.states().get(2), null));
        assertThat(mapping.read(key)).isEqualTo(new EntityRow(mapping.states().get(2), 2));
        assertThat(claimsOf(mapping, key)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void exactlyOneOfThoseThatWaitForTheRowTakesTheStep(Mapping mapping) throws Exception {
        Object key = mapping.save();
        bodies.set(0);
        List<CompletableFuture<TransitionOutcome>> callers;
        try (Connection beside = database.dataSource().getConnection();
                Statement statement = beside.createStatement()) {
            beside.setAutoCommit(false);
            statement.execute(
                    "SELECT 1 FROM %s FOR UPDATE".formatted(mapping.table().name()));
            callers = IntStream.range(0, 4)
                    .mapToObj(caller -> CompletableFuture.supplyAsync(() -> mapping.close(key), threads))
                    .toList();
            awaitWaiting(4);
            beside.rollback();
        }

        List<TransitionOutcome> outcomes = new ArrayList<>();
        for (CompletableFuture<TransitionOutcome> caller : callers) {
            outcomes.add(caller.get(20, SECONDS));
        }
        assertThat(outcomes)
                .filteredOn(TransitionOutcome.Completed.class::isInstance)
                .hasSize(1);
        assertThat(bodies).hasValue(1);
        assertThat(mapping.read(key)).isEqualTo(new EntityRow(mapping.states().get(2), 2));
    }

    @ParameterizedTest
    @EnumSource
    void isFreedAfterSilence(Mapping mapping) {
        Object key = mapping.save();
        Claim lost = granted(mapping.claim(key));
        assertThat(mapping.read(key)).isEqualTo(new EntityRow(mapping.states().get(1), 1));

        shop.silence(Duration.ofMinutes(6));
        shop.sweep();

        assertThat(mapping.read(key)).isEqualTo(new EntityRow(mapping.states().get(0), 2));
        assertThat(claimsOf(mapping, key)).isZero();
        assertThat(shop.bean(ClaimService.class).release(lost)).isEqualTo(ClaimEnd.TAKEN);
        assertThat(granted(mapping.claim(key)).token()).isGreaterThan(lost.token());
    }

    @ParameterizedTest
    @EnumSource
    void isFoundWhereNobodyHasClaimedIt(Mapping mapping) {
        Object key = mapping.save();
        mapping.writeStatus(key, mapping.states().get(1));

        shop.bean(ClaimRecovery.class).adoptOrphans("mapped");
        shop.bean(ClaimRecovery.class).adoptOrphans("mapped");

        assertThat(claimsOf(mapping, key)).isOne();
        shop.silence(Duration.ofMinutes(6));
        shop.sweep();
        assertThat(mapping.read(key)).isEqualTo(new EntityRow(mapping.states().get(0), 2));
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "JOINED_STATUS_IN_ROOT",
                "JOINED_STATUS_IN_SUBCLASS",
                "JOINED_STATUS_IN_THE_MIDDLE",
                "TABLE_PER_CLASS"
            })
    void anEntityOfASiblingClassCannotBeClaimed(Mapping mapping) {
        Object key = switch (mapping) {
            case JOINED_STATUS_IN_ROOT -> mapping.save(Supported.Receipt.class);
            case JOINED_STATUS_IN_SUBCLASS -> mapping.save(Supported.Boat.class);
            case JOINED_STATUS_IN_THE_MIDDLE -> mapping.save(Supported.Car.class);
            default -> mapping.save(Supported.Square.class);
        };

        assertThat(mapping.claim(key)).isInstanceOf(ClaimAttempt.NoSuchEntity.class);
        assertThatExceptionOfType(UnknownException.Entity.class).isThrownBy(() -> mapping.close(key));
        assertThat(claimsOf(mapping, key)).isZero();
    }

    @Test
    void aSubclassIsClaimedThroughTheRootOfItsTable() {
        Object key = Mapping.SINGLE_TABLE.save(Supported.Dog.class);

        assertThat(Mapping.SINGLE_TABLE.close(key)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(Mapping.SINGLE_TABLE.read(key)).isEqualTo(new EntityRow("CLOSED", 2));
    }

    /** Another node has written the row, and nobody has told the cache of this one. */
    @Test
    void aStaleEntityOfTheSecondLevelCacheIsNotActedOn() {
        Object key = Mapping.CACHED.save();
        assertThat(Mapping.CACHED.read(key)).isEqualTo(new EntityRow("OPEN", 0));
        shop.database()
                .sql("UPDATE remembered SET version = 7 WHERE id = ?")
                .param(key)
                .update();
        assertThat(Mapping.CACHED.read(key)).as("as the cache has it").isEqualTo(new EntityRow("OPEN", 0));

        assertThat(Mapping.CACHED.close(key)).isInstanceOf(TransitionOutcome.Completed.class);

        assertThat(Mapping.CACHED.read(key)).isEqualTo(new EntityRow("CLOSED", 9));
    }

    /** Who claims has dropped what the cache remembers. Who does not claim must not believe it either. */
    @Test
    void aTransitionWithoutAClaimDoesNotActOnAStaleCachedEntity() {
        Object key = Mapping.CACHED.save();
        rememberAnotherVersion(key);

        assertThat(shop.workflows().run("remembered", key, "close", Shop.SYSTEM))
                .isInstanceOf(TransitionOutcome.Completed.class);

        assertThat(Mapping.CACHED.read(key)).isEqualTo(new EntityRow("CLOSED", 8));
    }

    @Test
    void anAfterEffectDoesNotGetAStaleCachedEntity() throws Exception {
        Object key = Mapping.CACHED.save();
        CompletableFuture<Long> followed = new CompletableFuture<>();
        following = (entity, context) -> {
            if (context.attempt() == 1) {
                rememberAnotherVersion(key);
                throw new IllegalStateException("offline");
            }
            followed.complete(((Number) Mapping.CACHED.table().persister().getVersion(entity)).longValue());
        };

        assertThat(Mapping.CACHED.close(key)).isInstanceOf(TransitionOutcome.Completed.class);

        assertThat(followed.get(20, SECONDS)).isEqualTo(7);
        following = (entity, context) -> {};
    }

    /** What was written is committed, whatever becomes of the cache. */
    @Test
    void aCacheThatCannotBeToldChangesNothing() {
        Object key = Mapping.CACHED.save();
        MapCache.outOfReach(true);
        try {
            assertThat(Mapping.CACHED.close(key)).isEqualTo(new TransitionOutcome.Completed("CLOSED", null));
            Object other = Mapping.CACHED.save();
            assertThat(shop.bean(ClaimService.class).release(granted(Mapping.CACHED.claim(other))))
                    .isEqualTo(ClaimEnd.DONE);
            granted(Mapping.CACHED.claim(other));
            shop.silence(Duration.ofMinutes(6));
            shop.sweep();
            assertThat(claimsOf(Mapping.CACHED, other)).isZero();
        } finally {
            MapCache.outOfReach(false);
        }
    }

    private static void rememberAnotherVersion(Object key) {
        EntityRow remembered = Mapping.CACHED.read(key);
        shop.database()
                .sql("UPDATE remembered SET version = 7 WHERE id = ?")
                .param(key)
                .update();
        assertThat(Mapping.CACHED.read(key)).as("as the cache has it").isEqualTo(remembered);
    }

    /** The fault to look for: an update over several tables whose predicate is not checked again after it has waited. */
    @ParameterizedTest
    @EnumSource(names = {"LONG", "JOINED_STATUS_IN_ROOT", "JOINED_STATUS_IN_SUBCLASS", "SECONDARY_TABLE"})
    void twoHundredRacesHaveOneWinnerEach(Mapping mapping) throws Exception {
        Object key = mapping.save();
        CyclicBarrier barrier = new CyclicBarrier(4);
        for (int race = 0; race < 200; race++) {
            List<Future<ClaimAttempt>> callers = new ArrayList<>();
            for (int caller = 0; caller < 4; caller++) {
                callers.add(threads.submit(() -> {
                    barrier.await(20, SECONDS);
                    return mapping.claim(key);
                }));
            }
            List<Claim> winners = new ArrayList<>();
            for (Future<ClaimAttempt> caller : callers) {
                if (caller.get(20, SECONDS) instanceof ClaimAttempt.Granted granted) {
                    winners.add(granted.claim());
                }
            }
            assertThat(winners).as("winners of race %d", race).hasSize(1);
            assertThat(shop.bean(ClaimService.class).release(winners.get(0))).isEqualTo(ClaimEnd.DONE);
        }
        assertThat(mapping.read(key)).isEqualTo(new EntityRow("OPEN", 400));
    }

    /** A janitor waits for nobody, whichever of the tables a frozen transaction has locked. */
    @ParameterizedTest
    @EnumSource(names = {"JOINED_STATUS_IN_SUBCLASS", "SECONDARY_TABLE"})
    void aSweepDoesNotWaitForTheTableWithTheStatusEither(Mapping mapping) throws Exception {
        Object key = mapping.save();
        granted(mapping.claim(key));
        shop.silence(Duration.ofMinutes(6));
        String table = mapping == Mapping.SECONDARY_TABLE ? "split_state" : "car";
        try (Connection frozen = database.dataSource().getConnection();
                Statement statement = frozen.createStatement()) {
            frozen.setAutoCommit(false);
            statement.execute("SELECT 1 FROM %s FOR UPDATE".formatted(table));

            CompletableFuture.runAsync(shop::sweep, threads).get(60, SECONDS);
            assertThat(mapping.read(key).status()).isEqualTo("CLOSING");
            frozen.rollback();
        }
        shop.sweep();
        assertThat(mapping.read(key).status()).isEqualTo("OPEN");
    }

    private static final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterAll
    static void endThreads() {
        threads.shutdownNow();
    }

    private static Claim granted(ClaimAttempt attempt) {
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }

    private static int claimsOf(Mapping mapping, Object key) {
        return shop.database()
                .sql("SELECT count(*) FROM saga_claim WHERE entity = ? AND entity_id = ?")
                .params(mapping.table().name(), key.toString())
                .query(Integer.class)
                .single();
    }

    private static void awaitWaiting(int expected) throws SQLException {
        long giveUp = System.nanoTime() + SECONDS.toNanos(20);
        while (LockWaits.in(shop.database()) < expected) {
            assertThat(System.nanoTime()).as("time in which %d wait", expected).isLessThan(giveUp);
        }
    }
}
