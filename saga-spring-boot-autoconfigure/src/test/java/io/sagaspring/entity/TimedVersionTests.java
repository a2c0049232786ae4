package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.definition.Requester;
import io.sagaspring.entity.timed.Timed;
import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.TransitionRequest;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.LockModeType;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A version that is a time changes with each flip, for any precision of its column. */
class TimedVersionTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final AtomicLong ids = new AtomicLong();

    /**
     * Hibernate stores local times in a zone that differs from the JVM's zone. PostgreSQL reads the sign in the name of
     * this zone the opposite way.
     */
    private static final Shop shop = Shop.open(
            database,
            application -> application.sources(Mapped.class),
            Stream.concat(
                            Stream.of("spring.jpa.properties.hibernate.jdbc.time_zone=GMT+02:00"),
                            Arrays.stream(Timing.values())
                                    .flatMap(timing -> ClosingWorkflow.of(timing.entity, "timed").settings().stream()))
                    .toArray(String[]::new));

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Timed.class)
    @Import(TimedJanitor.class)
    static class Mapped {

        @Bean
        StepAction<Object> closeAnything() {
            return (entity, context) -> ActionResult.success();
        }
    }

    @ClaimJanitor(module = "timed")
    static class TimedJanitor extends ScheduledClaimJanitor {}

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @ParameterizedTest
    @EnumSource
    void eachFlipChangesTheVersion(Timing timing) {
        long id = save(timing.entity);
        long before = read(timing, id);
        for (int round = 0; round < 10; round++) {
            Claim claim = granted(claim(timing, id, OptionalLong.of(before)));
            assertThat(claim.version()).isEqualTo(read(timing, id)).isGreaterThanOrEqualTo(before + timing.tick);

            assertThat(shop.bean(ClaimService.class).release(claim)).isEqualTo(ClaimEnd.DONE);
            before = read(timing, id);
            assertThat(before).isGreaterThanOrEqualTo(claim.version() + timing.tick);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFlipRaisesAVersionInTheFutureByOneTick(Timing timing) {
        long id = save(timing.entity);
        moveToTheFuture(timing, id);
        long before = read(timing, id);

        Claim claim = granted(claim(timing, id, OptionalLong.of(before)));

        assertThat(claim.version()).isEqualTo(before + timing.tick).isEqualTo(read(timing, id));
    }

    /** Otherwise an old version could appear again, and a stale writer would not be noticed. */
    @ParameterizedTest
    @EnumSource
    void aStepNeverMovesTheVersionBack(Timing timing) {
        for (Requester requester : List.of(Shop.ADMIN, Shop.SYSTEM)) {
            long id = save(timing.entity);
            moveToTheFuture(timing, id);
            long before = read(timing, id);

            assertThat(shop.workflows().run(timing.workflow(), id, "close", requester))
                    .isInstanceOf(TransitionOutcome.Completed.class);

            assertThat(read(timing, id)).as(requester.name()).isGreaterThan(before);
        }
    }

    /** JPA writes a later time, but the column rounds it to the old one. */
    @Test
    void aStepRaisesAVersionThatTheColumnHasRounded() {
        long id = save(Timing.SECOND.entity);
        await().atMost(Duration.ofSeconds(5)).until(() -> System.currentTimeMillis() % 1000 < 200);
        shop.database()
                .sql(
                        "UPDATE to_the_second SET version = date_trunc('second', clock_timestamp() AT TIME ZONE INTERVAL '2 h')"
                                + " WHERE id = ?")
                .param(id)
                .update();
        long before = read(Timing.SECOND, id);

        assertThat(shop.workflows().run(Timing.SECOND.workflow(), id, "close", Shop.SYSTEM))
                .isInstanceOf(TransitionOutcome.Completed.class);

        assertThat(read(Timing.SECOND, id)).isGreaterThan(before);
    }

    /** Under open-in-view the entity stays in the persistence context, and the request may write it again. */
    @ParameterizedTest
    @EnumSource
    void theEntityInMemoryGetsTheRaisedVersion(Timing timing) {
        long id = save(timing.entity);
        moveToTheFuture(timing, id);
        EntityManagerFactory factory = shop.bean(EntityManagerFactory.class);
        try (EntityManager ofTheRequest = factory.createEntityManager()) {
            TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(ofTheRequest));
            try {
                assertThat(shop.workflows().run(timing.workflow(), id, "close", Shop.ADMIN))
                        .isInstanceOf(TransitionOutcome.Completed.class);
                shop.inTransaction(entities -> {
                    entities.lock(entities.find(timing.entity, id), LockModeType.OPTIMISTIC_FORCE_INCREMENT);
                    return null;
                });
            } finally {
                TransactionSynchronizationManager.unbindResource(factory);
            }
        }
    }

    private static void moveToTheFuture(Timing timing, long id) {
        assertThat(shop.database()
                        .sql("UPDATE %s SET version = TIMESTAMP '2100-01-01 12:00' WHERE id = ?"
                                .formatted(timing.table()))
                        .param(id)
                        .update())
                .isOne();
    }

    @ParameterizedTest
    @EnumSource
    void aFlipWritesTheSameTimeAsHibernate(Timing timing) {
        long id = save(timing.entity);
        long saved = read(timing, id);
        Claim claim = granted(claim(timing, id, OptionalLong.empty()));

        LocalDateTime clock = LocalDateTime.now(timing.zoned ? ZoneOffset.UTC : ZoneOffset.ofHours(2));
        long now = ChronoUnit.MICROS.between(LocalDateTime.of(1970, 1, 1, 0, 0), clock);
        assertThat(claim.version()).isBetween(now - 60_000_000, now + 60_000_000);
        assertThat(saved).isBetween(now - 60_000_000, now + 60_000_000);
    }

    @ParameterizedTest
    @EnumSource
    void aCallerCanNameTheExpectedVersion(Timing timing) {
        long id = save(timing.entity);
        long seen = read(timing, id);
        TransitionRequest request = TransitionRequest.of(timing.workflow(), id, "close", Shop.ADMIN);

        assertThat(shop.workflows().run(request.ofVersion(seen - timing.tick)))
                .isInstanceOf(TransitionOutcome.Conflict.class);
        assertThat(read(timing, id)).isEqualTo(seen);
        assertThat(claim(timing, id, OptionalLong.of(seen + timing.tick))).isInstanceOf(ClaimAttempt.Refused.class);
        assertThat(shop.workflows().run(request.ofVersion(seen))).isInstanceOf(TransitionOutcome.Completed.class);
    }

    @Test
    void aColumnOfAnotherTypeIsRefused() {
        PersistenceUnit unit = ((MappedTable) shop.bean(DeclaredClaimStates.class)
                        .tables()
                        .findFirst()
                        .orElseThrow())
                .unit();
        List<String> faults = new ArrayList<>();

        assertThat(new EntityTables(List.of(new MappedEntities(List.of(unit), List.of(), false)))
                        .find(Timed.ZonedInLocal.class, "status", List.of("OPEN"), faults::add))
                .isEmpty();
        assertThat(faults)
                .containsExactly(
                        "Column version of zoned_in_local holds a @Version that is a time, but the column has the type 'timestamp without time zone'. Give it the type 'timestamp with time zone'.");
    }

    private static long save(Class<?> entity) {
        Long id = ids.incrementAndGet();
        shop.inTransaction(entities -> {
            try {
                entities.persist(entity.getConstructor(Long.class).newInstance(id));
                return null;
            } catch (ReflectiveOperationException impossible) {
                throw new IllegalStateException(impossible);
            }
        });
        return id;
    }

    /** Returns the version as the database computes it, which is also the version in memory. */
    private static long read(Timing timing, long id) {
        MappedTable table = (MappedTable) shop.bean(DeclaredClaimStates.class).tableOf(state(timing));
        long row = table.read(id).orElseThrow().version();
        long loaded = shop.inTransaction(
                entities -> table.load(entities, id).orElseThrow().version());
        assertThat(loaded).isEqualTo(row);
        return row;
    }

    private static ClaimState state(Timing timing) {
        return shop.bean(DeclaredClaimStates.class).all().stream()
                .filter(each -> each.workflow().equals(timing.workflow()))
                .findFirst()
                .orElseThrow();
    }

    private static ClaimAttempt claim(Timing timing, long id, OptionalLong version) {
        return shop.bean(ClaimService.class).tryClaim(state(timing), id, "admin", version);
    }

    private static Claim granted(ClaimAttempt attempt) {
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }
}
