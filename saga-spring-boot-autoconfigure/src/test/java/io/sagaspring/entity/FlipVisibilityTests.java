package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.entity.audited.Chart;
import io.sagaspring.entity.audited.Dossier;
import io.sagaspring.entity.supported.MapCache;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Loss;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import io.sagaspring.workflow.TransitionOutcome;
import jakarta.persistence.EntityManagerFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.hibernate.envers.AuditReader;
import org.hibernate.envers.AuditReaderFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.domain.AuditorAware;
import org.springframework.data.jpa.repository.config.EnableJpaAuditing;
import org.springframework.orm.ObjectOptimisticLockingFailureException;

/**
 * The flips at the beginning and at the end of a claim bypass JPA. Only a completed step reaches entity listeners,
 * Envers and the query cache, and changes all auditing fields. If configured, every flip writes the last-modified time.
 * The caches of other nodes notice neither a claim nor a completed step.
 */
class FlipVisibilityTests {

    private static TestDatabase database;
    private static Shop node;
    private static Shop otherNode;
    private static Shop writing;
    private static final AtomicLong ids = new AtomicLong();

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Dossier.class)
    @EnableJpaAuditing
    static class Audited {

        @Bean
        AuditorAware<String> auditor() {
            return () -> Optional.of("auditor");
        }

        @Bean
        StepAction<Object> closeAnything() {
            return (entity, context) -> ActionResult.success();
        }
    }

    @BeforeAll
    static void open() {
        database = TestDatabase.create(MigratedSchema.class);
        node = open("saga.claims.write-last-modified=false");
        otherNode = open("saga.claims.write-last-modified=false");
        writing = open("saga.claims.write-last-modified=true");
    }

    private static Shop open(String... settings) {
        Stream<String> workflows = Stream.of("dossier", "chart").flatMap(FlipVisibilityTests::workflow);
        Stream<String> cache = Stream.of(
                "saga.janitor.modules.dossiers.default-janitor=true",
                "spring.jpa.properties.hibernate.cache.use_second_level_cache=true",
                "spring.jpa.properties.hibernate.cache.use_query_cache=true",
                "spring.jpa.properties.hibernate.cache.region.factory_class=" + MapCache.class.getName());
        return Shop.open(
                        database,
                        application -> application.sources(Audited.class),
                        Stream.of(workflows, cache, Stream.of(settings))
                                .flatMap(each -> each)
                                .toArray(String[]::new))
                .swept();
    }

    private static Stream<String> workflow(String name) {
        Class<?> entity = name.equals("chart") ? Chart.class : Dossier.class;
        return Stream.of(
                        "module=dossiers",
                        "entity=" + entity.getName(),
                        "requesters=admin",
                        "steps[0].step-key=close",
                        "steps[0].status=OPEN",
                        "steps[0].claim-state.admin=CLOSING,OPEN",
                        "steps[0].successful-state.any=CLOSED",
                        "steps[0].action.any=closeAnything")
                .map(setting -> "saga.workflows.%s.%s".formatted(name, setting));
    }

    @AfterAll
    static void close() {
        Stream.of(node, otherNode, writing).forEach(Shop::close);
        database.close();
    }

    private final long id = ids.incrementAndGet();

    @BeforeEach
    void save() {
        node.database().sql("TRUNCATE dossier, chart, chart_state, saga_claim").update();
        node.inTransaction(entities -> {
            entities.persist(new Dossier(id));
            entities.persist(new Chart(id));
            return null;
        });
        age();
        Dossier.Updates.seen.clear();
    }

    /** Sets every last-modified time to the year 2000, and changes the author. */
    private void age() {
        node.database().sql("UPDATE dossier SET changed_by = 'another'").update();
        for (String column : List.of("dossier SET changed_at", "chart SET changed_at", "chart_state SET moved_at")) {
            node.database()
                    .sql("UPDATE %s = TIMESTAMP '2000-01-01'".formatted(column))
                    .update();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClaimAndItsEndDoNotReachAuditingFieldsEntityListenersOrEnvers(boolean reverted) {
        Claim claim = claim(node, "dossier");
        if (reverted) {
            node.silence(Duration.ofHours(1));
            assertThat(node.sweep()).isOne();
        } else {
            assertThat(node.bean(ClaimService.class).release(claim)).isEqualTo(ClaimEnd.DONE);
        }

        assertThat(changedAt()).isBefore(Instant.parse("2001-01-01T00:00:00Z"));
        assertThat(changedBy()).isEqualTo("another");
        assertThat(Dossier.Updates.seen).isEmpty();
        assertThat(revisions()).containsExactly(Dossier.State.OPEN);
    }

    @Test
    void aCompletedStepReachesAuditingFieldsEntityListenersAndEnvers() {
        assertThat(node.workflows().run("dossier", id, "close", Shop.ADMIN))
                .isInstanceOf(TransitionOutcome.Completed.class);

        assertNow(changedAt());
        assertThat(changedBy()).isEqualTo("auditor");
        assertThat(Dossier.Updates.seen).containsExactly(Dossier.State.CLOSED);
        assertThat(revisions()).containsExactly(Dossier.State.OPEN, Dossier.State.CLOSED);
    }

    /** Returns the statuses that Envers has recorded, the first of them for the new entity. */
    private List<Dossier.State> revisions() {
        return node.inTransaction(entities -> {
            AuditReader history = AuditReaderFactory.get(entities);
            return history.getRevisions(Dossier.class, id).stream()
                    .map(revision -> history.find(Dossier.class, id, revision).status())
                    .toList();
        });
    }

    @Test
    void everyFlipWritesTheLastModifiedTimeIfConfigured() {
        ClaimService claims = writing.bean(ClaimService.class);
        Claim claim = claim(writing, "dossier");
        assertNow(changedAt());
        age();
        claims.release(claim);
        assertNow(changedAt());
        claim(writing, "dossier");
        age();
        writing.silence(Duration.ofHours(1));
        assertThat(writing.sweep()).isOne();
        assertNow(changedAt());
        claim = claim(writing, "dossier");
        age();
        claims.complete(claim, "CLOSED");
        assertNow(changedAt());
        assertThat(changedBy()).isEqualTo("another");
    }

    @Test
    void everyFlipWritesTheLastModifiedTimeOfBothTablesIfConfigured() {
        Claim claim = claim(writing, "chart");
        assertChartIsChangedNow(writing);
        age();
        writing.bean(ClaimService.class).release(claim);
        assertChartIsChangedNow(writing);
    }

    /** Hibernate converts a time without a zone to the zone of {@code hibernate.jdbc.time_zone}. */
    @ParameterizedTest
    @ValueSource(strings = {"GMT+03:00", "America/New_York"})
    void aTimeWithoutAZoneIsInTheZoneThatHibernateUses(String zone) {
        try (Shop inZone = open(
                "saga.claims.write-last-modified=true", "spring.jpa.properties.hibernate.jdbc.time_zone=" + zone)) {
            claim(inZone, "chart");

            assertChartIsChangedNow(inZone);
        }
    }

    /**
     * The driver sets the session's time zone to the time zone of the JVM, but an application or a proxy may set a
     * different time zone.
     */
    @Test
    void theZoneOfTheSessionDoesNotMatter() {
        try (Shop elsewhere = open(
                "saga.claims.write-last-modified=true",
                "spring.datasource.hikari.connection-init-sql=SET TIME ZONE 'America/New_York'")) {
            claim(elsewhere, "chart");

            assertChartIsChangedNow(elsewhere);
        }
    }

    /** The cached result of a query is invalidated only by writes of JPA. */
    @Test
    void aCachedQuerySeesACompletedStepButNotAClaim() {
        assertThat(openDossiers()).isOne();
        node.bean(ClaimService.class).release(claim(node, "dossier"));
        Claim claim = claim(node, "dossier");
        assertThat(openDossiers()).as("as the cache has it").isOne();
        node.bean(ClaimService.class).release(claim);

        assertThat(node.workflows().run("dossier", id, "close", Shop.ADMIN))
                .isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(openDossiers()).isZero();
    }

    private int openDossiers() {
        return node.inTransaction(
                entities -> entities.createQuery("SELECT d FROM Dossier d WHERE d.status = :open", Dossier.class)
                        .setParameter("open", Dossier.State.OPEN)
                        .setHint("org.hibernate.cacheable", true)
                        .getResultList()
                        .size());
    }

    @Test
    void theCacheOfTheClaimingNodeForgetsTheEntity() {
        dossier(node);
        claim(node, "dossier");

        assertThat(dossier(node).status()).isEqualTo(Dossier.State.CLOSING);
    }

    @Test
    void theCacheOfAnotherNodeDoesNotSeeAClaim() {
        dossier(otherNode);
        Claim claim = claim(node, "dossier");

        assertThat(dossier(otherNode).status()).as("as the cache has it").isEqualTo(Dossier.State.OPEN);
        node.bean(ClaimService.class).release(claim);
        assertThatExceptionOfType(ObjectOptimisticLockingFailureException.class)
                .isThrownBy(() -> otherNode.inTransaction(entities -> {
                    entities.find(Dossier.class, id).title("stale");
                    return null;
                }));
    }

    @Test
    void theCacheOfTheNodeForgetsTheEntityAfterACompletedStep() {
        dossier(node);
        assertThat(isCached(node)).isTrue();

        node.workflows().run("dossier", id, "close", Shop.ADMIN);

        assertThat(isCached(node)).isFalse();
    }

    /** Hibernate treats a commit whose answer is lost as a rollback. */
    @Test
    @ExpectsErrors("is committed. The failure came after the commit")
    void theCacheOfTheNodeForgetsTheEntityAfterACommitWhoseAnswerIsLost() {
        dossier(node);
        node.interference().with(Loss.ofAnswer("COMMIT"::equals).behindTheFence());

        assertThat(node.workflows().run("dossier", id, "close", Shop.ADMIN))
                .isInstanceOf(TransitionOutcome.Completed.class);

        node.interference().none();
        assertThat(isCached(node)).isFalse();
        assertThat(dossier(node).status()).isEqualTo(Dossier.State.CLOSED);
    }

    private boolean isCached(Shop shop) {
        return shop.bean(EntityManagerFactory.class).getCache().contains(Dossier.class, id);
    }

    @Test
    void theCacheOfAnotherNodeIsStaleAfterAStepButNoChangeIsLost() {
        assertThat(dossier(otherNode).status()).isEqualTo(Dossier.State.OPEN);
        node.workflows().run("dossier", id, "close", Shop.ADMIN);

        assertThat(dossier(otherNode).status()).as("as the cache has it").isEqualTo(Dossier.State.OPEN);
        assertThatExceptionOfType(ObjectOptimisticLockingFailureException.class)
                .isThrownBy(() -> otherNode.inTransaction(entities -> {
                    entities.find(Dossier.class, id).title("stale");
                    return null;
                }));
    }

    @Test
    void aStepDoesNotTrustAStaleCache() {
        dossier(otherNode);
        node.workflows().run("dossier", id, "close", Shop.ADMIN);

        assertThat(otherNode.workflows().run("dossier", id, "close", Shop.ADMIN))
                .isEqualTo(new TransitionOutcome.NotApplicable("CLOSED", List.of()));
    }

    private String changedBy() {
        return node.database()
                .sql("SELECT changed_by FROM dossier WHERE id = ?")
                .param(id)
                .query(String.class)
                .single();
    }

    private Instant changedAt() {
        return node.database()
                .sql("SELECT changed_at FROM dossier WHERE id = ?")
                .param(id)
                .query(OffsetDateTime.class)
                .single()
                .toInstant();
    }

    private Dossier dossier(Shop shop) {
        return shop.inTransaction(entities -> entities.find(Dossier.class, id));
    }

    private void assertChartIsChangedNow(Shop shop) {
        Chart chart = shop.inTransaction(entities -> entities.find(Chart.class, id));
        assertThat(chart.changedAt())
                .isBetween(
                        LocalDateTime.now(ZoneId.systemDefault()).minusMinutes(1),
                        LocalDateTime.now(ZoneId.systemDefault()).plusMinutes(1));
        assertNow(Objects.requireNonNull(chart.movedAt()));
    }

    private static void assertNow(Instant time) {
        assertThat(time).isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
    }

    private Claim claim(Shop shop, String workflow) {
        ClaimState state = shop.bean(DeclaredClaimStates.class).all().stream()
                .filter(each -> each.workflow().equals(workflow))
                .findFirst()
                .orElseThrow();
        ClaimAttempt attempt = shop.bean(ClaimService.class).tryClaim(state, id, "admin");
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }
}
