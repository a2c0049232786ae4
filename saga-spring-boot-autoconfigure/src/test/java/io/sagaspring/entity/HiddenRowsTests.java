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
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.entity.hidden.Hidden;
import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.LockWaits;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.UnknownException;
import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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

/** A row that JPA hides cannot be claimed. A claim whose row is hidden afterwards ends like any other claim. */
class HiddenRowsTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final AtomicLong ids = new AtomicLong();
    private static volatile StepAction<Object> acting = (entity, context) -> ActionResult.success();
    private static final Shop shop =
            Shop.open(database, application -> application.sources(Mapped.class), properties());
    private static final ExecutorService threads = Executors.newCachedThreadPool();

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Hidden.class)
    @Import(HiddenJanitor.class)
    static class Mapped {

        @Bean
        StepAction<Object> closeAnything() {
            return (entity, context) -> acting.run(entity, context);
        }
    }

    @ClaimJanitor(module = "hidden")
    static class HiddenJanitor extends ScheduledClaimJanitor {}

    private static String[] properties() {
        return Stream.concat(
                        Arrays.stream(Hiding.values()).map(hiding -> hiding.entity),
                        Stream.of(Hidden.HiddenByFilter.class, Hidden.HiddenByClaim.class))
                .flatMap(entity -> ClosingWorkflow.of(entity, "hidden").settings().stream())
                .toArray(String[]::new);
    }

    @AfterAll
    static void close() {
        threads.shutdownNow();
        shop.close();
        database.close();
    }

    @ParameterizedTest
    @EnumSource
    void aHiddenEntityCannotBeClaimed(Hiding hiding) {
        long id = save(hiding.entity);
        change(hiding.hide(id));

        assertThat(claim(hiding, id)).isInstanceOf(ClaimAttempt.NoSuchEntity.class);
        assertThatExceptionOfType(UnknownException.Entity.class).isThrownBy(() -> close(hiding, id));
        assertThat(status(hiding, id)).isEqualTo("OPEN");
        assertThat(claims(id)).isZero();
    }

    /** PostgreSQL checks the predicate again when the claim has waited for the row. */
    @ParameterizedTest
    @EnumSource
    void anEntityThatIsHiddenWhileAClaimWaitsCannotBeClaimed(Hiding hiding) throws Exception {
        long id = save(hiding.entity);
        CompletableFuture<ClaimAttempt> attempt;
        try (Connection hidingIt = database.dataSource().getConnection();
                Statement statement = hidingIt.createStatement()) {
            hidingIt.setAutoCommit(false);
            statement.execute(hiding.hide(id));
            attempt = CompletableFuture.supplyAsync(() -> claim(hiding, id), threads);
            long giveUp = System.nanoTime() + SECONDS.toNanos(20);
            while (LockWaits.in(shop.database()) < 1) {
                assertThat(System.nanoTime()).isLessThan(giveUp);
            }
            hidingIt.commit();
        }

        assertThat(attempt.get(20, SECONDS)).isInstanceOf(ClaimAttempt.NoSuchEntity.class);
        assertThat(status(hiding, id)).isEqualTo("OPEN");
    }

    @ParameterizedTest
    @EnumSource
    void aHiddenEntityIsNotAnOrphan(Hiding hiding) {
        long hidden = save(hiding.entity);
        change(hiding.move(hidden, "CLOSING"));
        change(hiding.hide(hidden));
        long orphan = save(hiding.entity);
        change(hiding.move(orphan, "CLOSING"));

        shop.bean(ClaimRecovery.class).adoptOrphans("hidden");

        assertThat(claims(hidden)).isZero();
        assertThat(claims(orphan)).isOne();
    }

    @ParameterizedTest
    @EnumSource
    void theJanitorRevertsAClaimWhoseEntityIsHidden(Hiding hiding) {
        long id = save(hiding.entity);
        Claim lost = granted(claim(hiding, id));
        change(hiding.hide(id));

        shop.silence(Duration.ofMinutes(6));
        shop.sweep();

        assertThat(status(hiding, id)).isEqualTo("OPEN");
        assertThat(claims(id)).isZero();
        assertThat(shop.bean(ClaimService.class).release(lost)).isEqualTo(ClaimEnd.TAKEN);
    }

    @ParameterizedTest
    @EnumSource
    void anOwnerCanEndItsClaimOnAHiddenEntity(Hiding hiding) {
        long released = save(hiding.entity);
        Claim first = granted(claim(hiding, released));
        change(hiding.hide(released));
        long completed = save(hiding.entity);
        Claim second = granted(claim(hiding, completed));
        change(hiding.hide(completed));

        assertThat(shop.bean(ClaimService.class).release(first)).isEqualTo(ClaimEnd.DONE);
        assertThat(shop.bean(ClaimService.class).complete(second, "CLOSED")).isEqualTo(ClaimEnd.DONE);

        assertThat(status(hiding, released)).isEqualTo("OPEN");
        assertThat(status(hiding, completed)).isEqualTo("CLOSED");
        assertThat(claims(released) + claims(completed)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void anOwnerOfAHiddenEntityIsFencedOffAfterItsClaimWasReleased(Hiding hiding) {
        long id = save(hiding.entity);
        acting = (entity, context) -> {
            change(hiding.hide(id));
            ClaimRecovery recovery = shop.bean(ClaimRecovery.class);
            ClaimedRow row = shop.bean(ClaimService.class).list(100).stream()
                    .filter(each -> each.id().equals(Long.toString(id)))
                    .findFirst()
                    .orElseThrow();
            assertThat(recovery.release(row)).isEqualTo(ClaimRecovery.Recovered.FREED);
            return ActionResult.success();
        };
        try {
            assertThat(close(hiding, id)).isInstanceOf(TransitionOutcome.ClaimLost.class);
        } finally {
            acting = (entity, context) -> ActionResult.success();
        }
        assertThat(status(hiding, id)).isEqualTo("OPEN");
        assertThat(claims(id)).isZero();
    }

    /** A claim does not apply the filter, but then the step does not find its entity. */
    @Test
    void aStepOnAnEntityThatAFilterHidesReleasesItsClaim() {
        long id = save(Hidden.HiddenByFilter.class);
        change("UPDATE hidden_by_filter SET hidden = true WHERE id = " + id);

        assertThatExceptionOfType(UnknownException.Entity.class)
                .isThrownBy(() -> shop.workflows().run("hiddenbyfilter", id, "close", Shop.ADMIN));

        assertThat(shop.database()
                        .sql("SELECT status || version FROM hidden_by_filter WHERE id = " + id)
                        .query(String.class)
                        .single())
                .as("claimed and released")
                .isEqualTo("OPEN2");
        assertThat(claims(id)).isZero();
    }

    @Test
    void aStepWhoseClaimStateHidesTheEntityReleasesItsClaim() {
        long id = save(Hidden.HiddenByClaim.class);

        assertThatExceptionOfType(UnknownException.Entity.class)
                .isThrownBy(() -> shop.workflows().run("hiddenbyclaim", id, "close", Shop.ADMIN));

        assertThat(shop.database()
                        .sql("SELECT status || version FROM hidden_by_claim WHERE id = " + id)
                        .query(String.class)
                        .single())
                .as("claimed and released")
                .isEqualTo("OPEN2");
        assertThat(claims(id)).isZero();
    }

    @Test
    void anActionThatSoftDeletesItsEntityEndsTheClaim() {
        long id = save(Hidden.HiddenByFlag.class);
        acting = (entity, context) -> {
            shop.bean(EntityManager.class).remove(entity);
            return ActionResult.success();
        };
        try {
            assertThat(close(Hiding.FLAG, id)).isInstanceOf(TransitionOutcome.Completed.class);
        } finally {
            acting = (entity, context) -> ActionResult.success();
        }

        assertThat(claims(id)).isZero();
        assertThat(claim(Hiding.FLAG, id)).isInstanceOf(ClaimAttempt.NoSuchEntity.class);
        assertThat(status(Hiding.FLAG, id)).as("as the claim has left it").isEqualTo("CLOSING");
        change("UPDATE hidden_by_flag SET deleted = false WHERE id = " + id);
        shop.bean(ClaimRecovery.class).adoptOrphans("hidden");
        assertThat(claims(id)).as("claims after the row was restored").isOne();
    }

    @Test
    void aMappingWithoutHiddenRowsAddsNoPredicates() {
        EntityTable table = shop.bean(DeclaredClaimStates.class)
                .tables()
                .filter(each -> each.entity() == Hidden.HiddenByFilter.class)
                .findFirst()
                .orElseThrow();

        assertThat(table.flip("OPEN", "CLOSING", true))
                .isEqualTo("UPDATE hidden_by_filter AS t SET status = 'CLOSING', version = t.version + 1"
                        + " WHERE t.id = :id AND t.status = 'OPEN' AND t.version = :version"
                        + " RETURNING t.version AS version, t.id::text COLLATE \"default\" AS id");
        assertThat(table.idsIn(List.of("CLOSING")))
                .isEqualTo("SELECT v.id::text COLLATE \"default\" AS id,"
                        + " CASE v.status WHEN 'CLOSING' THEN 'CLOSING' END AS status"
                        + " FROM hidden_by_filter AS v WHERE v.status IN ('CLOSING')");
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

    private static void change(String statement) {
        assertThat(shop.database().sql(statement).update()).isOne();
    }

    private static String status(Hiding hiding, long id) {
        return Objects.requireNonNull(
                shop.database().sql(hiding.status(id)).query(String.class).single());
    }

    private static int claims(long id) {
        return shop.database()
                .sql("SELECT count(*) FROM saga_claim WHERE entity_id = ?")
                .param(Long.toString(id))
                .query(Integer.class)
                .single();
    }

    private static ClaimAttempt claim(Hiding hiding, long id) {
        ClaimState state = shop.bean(DeclaredClaimStates.class).all().stream()
                .filter(each -> each.workflow().equals(hiding.workflow()))
                .findFirst()
                .orElseThrow();
        return shop.bean(ClaimService.class).tryClaim(state, id, "admin");
    }

    private static TransitionOutcome close(Hiding hiding, long id) {
        return shop.workflows().run(hiding.workflow(), id, "close", Shop.ADMIN);
    }

    private static Claim granted(ClaimAttempt attempt) {
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }
}
