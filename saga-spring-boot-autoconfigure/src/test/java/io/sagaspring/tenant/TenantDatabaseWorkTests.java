package io.sagaspring.tenant;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimLedger;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.janitor.Sweep;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Shop;
import io.sagaspring.shop.Statements;
import io.sagaspring.tenant.apart.Desk;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.TransitionOutcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests new tenants, removed tenants, and the work on the databases of tenants. */
class TenantDatabaseWorkTests extends TenantDatabaseFixture {

    @Test
    void anAfterEffectIsDeliveredWithoutWaitingForTheNextPoll() {
        try (TenantShop shop = open("saga.due.poll-interval=10m")) {
            shop.save("a", Desk.class, 1);
            await().atMost(20, SECONDS).until(() -> threads().contains("saga-due-a"));

            assertThat(shop.close("a", Desk.class, 1L)).isInstanceOf(TransitionOutcome.Completed.class);

            await().atMost(20, SECONDS).until(() -> followed.contains("1"));
        }
    }

    @Test
    @ExpectsErrors("cannot be used")
    void aHomeDataSourceThatRoutesByTenantIsRefused() {
        try (TenantShop shop = TenantShop.open(
                home, Map.of("a", ofA, "b", ofB), TenantDatabases.RoutedOnly.class, settings("test.resolver=false"))) {
            shop.save("a", Desk.class, 1);

            assertThatThrownBy(() -> shop.claim("a", Desk.class, 1L))
                    .hasMessageContaining("Choose a data source that does not route by tenant");
            assertThat(status(ofA, 1)).isEqualTo("OPEN");
        }
    }

    @Test
    void newTenantsAreServedWithoutARestartAndRemovedTenantsHaveNoThreads() {
        try (TenantShop shop = open()) {
            shop.bean(TenantSources.class).add("c", ofC.getJdbcUrl());
            shop.tenants().add("c");
            shop.save("c", Desk.class, 1);

            assertThat(shop.close("c", Desk.class, 1L)).isInstanceOf(TransitionOutcome.Completed.class);
            await().atMost(20, SECONDS).until(() -> followed.contains("1"));
            assertThat(threads()).contains("saga-tenant-c", "saga-due-c");

            shop.tenants().remove("c");
            await().atMost(30, SECONDS)
                    .untilAsserted(() -> assertThat(threads()).doesNotContain("saga-tenant-c", "saga-due-c"));
            assertThat(threads()).contains("saga-tenant-a", "saga-due-a");
        }
    }

    /**
     * The work fails because its tenant has been removed. The thread of the database ends, and nothing is logged as an
     * error.
     */
    @Test
    void aTenantCanBeRemovedWhileANodeWorksOnItsDatabase() {
        try (TenantShop shop = open()) {
            shop.bean(TenantSources.class).add("c", ofC.getJdbcUrl());
            shop.tenants().add("c");
            shop.save("c", Desk.class, 1);
            assertThat(shop.close("c", Desk.class, 1L)).isInstanceOf(TransitionOutcome.Completed.class);
            await().atMost(20, SECONDS).until(() -> threads().contains("saga-tenant-c"));

            AtomicBoolean failed = new AtomicBoolean();
            shop.bean(Interference.class).with(new Interference.Around() {
                @Override
                public void before(String sql, Connection connection) throws SQLException {
                    if (Thread.currentThread().getName().equals("saga-tenant-c")) {
                        shop.tenants().remove("c");
                        failed.set(true);
                        throw new SQLException("There is no tenant c");
                    }
                }
            });

            await().atMost(30, SECONDS).until(() -> failed.get() && !threads().contains("saga-tenant-c"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"janitor.turn", "claim.adopt"})
    void aTenantCanBeRemovedWhileItsOrphansAreSearched(String statement) {
        try (TenantShop shop = open()) {
            AtomicBoolean failed = new AtomicBoolean();
            shop.bean(Interference.class).with(new Interference.Around() {
                @Override
                public void before(String sql, Connection connection) throws SQLException {
                    boolean ofTheTenant = Thread.currentThread().getName().equals("saga-tenant-c");
                    if (ofTheTenant && (failed.get() || Statements.isNamed(sql, statement))) {
                        shop.tenants().remove("c");
                        failed.set(true);
                        throw new SQLException("There is no tenant c");
                    }
                }
            });

            shop.bean(TenantSources.class).add("c", ofC.getJdbcUrl());
            shop.tenants().add("c");

            await().atMost(30, SECONDS).until(() -> failed.get() && !threads().contains("saga-tenant-c"));
        }
    }

    @Test
    void aNodeAlsoSweepsTenantsWhoseRequestsOnlyOtherNodesGet() {
        try (TenantShop other = open()) {
            other.bean(TenantSources.class).add("c", ofC.getJdbcUrl());
            other.tenants().add("c");
            other.save("c", Desk.class, 1);
            assertThat(other.claim("c", Desk.class, 1L)).isInstanceOf(ClaimAttempt.Granted.class);
        }
        try (TenantShop shop = open()) {
            shop.bean(TenantSources.class).add("c", ofC.getJdbcUrl());
            shop.tenants().add("c");
            silence(ofC);

            await().atMost(30, SECONDS).until(() -> status(ofC, 1).equals("OPEN"));
        }
    }

    @Test
    void aTenantThatIsNotListedClaimsNothing() {
        try (TenantShop shop = open()) {
            shop.bean(TenantSources.class).add("c", ofC.getJdbcUrl());
            shop.tenants().addUnlisted("c");
            shop.save("c", Desk.class, 1);

            assertThatThrownBy(() -> shop.claim("c", Desk.class, 1L))
                    .hasMessageContaining("TenantContext.all() does not list it");
            assertThat(status(ofC, 1)).isEqualTo("OPEN");
        }
    }

    @Test
    void twoNodesCanCreateTheTablesOfATenantAtTheSameTime() throws Exception {
        try (TenantShop one = open();
                TenantShop other = open()) {
            for (TenantShop shop : List.of(one, other)) {
                shop.bean(TenantSources.class).add("c", ofC.getJdbcUrl());
                shop.tenants().add("c");
            }
            one.save("c", Desk.class, 1);
            one.save("c", Desk.class, 2);
            Thread first = new Thread(() -> one.close("c", Desk.class, 1L));
            Thread second = new Thread(() -> other.close("c", Desk.class, 2L));
            first.start();
            second.start();
            first.join();
            second.join();

            assertThat(status(ofC, 1)).isEqualTo("CLOSED");
            assertThat(status(ofC, 2)).isEqualTo("CLOSED");
            await().atMost(20, SECONDS).until(() -> followed.size() == 2);
        }
    }

    @Test
    void aClaimIsRenewedInTheDatabaseOfItsTenant() {
        try (TenantShop shop = open()) {
            shop.save("a", Desk.class, 1);
            shop.save("b", Desk.class, 1);
            ClaimService claims = shop.bean(ClaimService.class);
            Keeper keeper = shop.bean(Keeper.class);
            try (Hold heldA = claims.keep(granted(shop, "a").claim());
                    Hold heldB = claims.keep(granted(shop, "b").claim())) {
                // Both databases are new, so both tokens are the same.
                assertThat(List.of(heldA, heldB))
                        .allMatch(held -> shop.bean(ClaimLedger.class).isLedger(held.table()));
                assertThat(heldA.held()).isEqualTo(heldB.held());
                client(ofA).sql("DELETE FROM saga_claim").update();
                client(ofB)
                        .sql("UPDATE saga_claim SET alive_at = clock_timestamp() - INTERVAL '30 seconds'")
                        .update();

                await().atMost(20, SECONDS).until(() -> {
                    keeper.beat();
                    return heldA.stop() == Hold.Stop.TAKEN;
                });

                assertThat(heldB.stop()).isNull();
                assertThat(client(ofB)
                                .sql("SELECT clock_timestamp() - alive_at < INTERVAL '20 seconds' FROM saga_claim")
                                .query(Boolean.class)
                                .single())
                        .isTrue();
            }
        }
    }

    /** The database of tenant b is a copy of the database of tenant a. */
    @Test
    @ExpectsErrors("could not free")
    void theClaimOfACopiedDatabaseIsNotRevertedForTheOtherTenant() {
        try (TenantShop shop = open("saga.janitor.interval=1h")) {
            shop.save("a", Desk.class, 1);
            shop.save("b", Desk.class, 1);
            ClaimAttempt.Granted ofTenantA = granted(shop, "a");
            assertThat(granted(shop, "b").claim().token())
                    .isEqualTo(ofTenantA.claim().token());
            client(ofB).sql("UPDATE saga_claim SET tenant = 'a'").update();
            silence(ofA);
            silence(ofB);
            Sweep sweep = shop.bean(JanitorRegistry.class).sweep("jobs").orElseThrow();

            assertThat(sweep.run()).isEqualTo(1);

            assertThat(status(ofA, 1)).isEqualTo("OPEN");
            assertThat(status(ofB, 1)).isEqualTo("CLOSING");
        }
    }

    /** The database of tenant b is a copy of the database of tenant a. */
    @Test
    @ExpectsErrors("Parked")
    void anAfterEffectOfACopiedDatabaseIsNotDeliveredForTheOtherTenant() {
        try (TenantShop shop = open("saga.janitor.interval=1h")) {
            shop.save("a", Desk.class, 1);
            shop.save("b", Desk.class, 1);
            shop.fail(() -> {
                shop.complete("b", Desk.class, 1L);
                await().atMost(30, SECONDS).until(() -> parked(ofB) == 1);
            });

            client(ofB)
                    .sql("UPDATE saga_due SET tenant = 'a', parked_at = NULL, attempts = 0, due_at = now()")
                    .update();

            await().atMost(30, SECONDS).until(() -> parked(ofB) == 1);
            assertThat(followed).isEmpty();
            assertThat(client(ofB)
                            .sql("SELECT last_error FROM saga_due")
                            .query(String.class)
                            .single())
                    .contains("belongs to tenant 'a', but was found in the database of tenant 'b'");
        }
    }

    @Test
    void anAfterEffectIsDeliveredAgainIfItsCompletionWasNotRecorded() {
        try (TenantShop shop = open()) {
            shop.save("a", Desk.class, 1);
            AtomicBoolean died = new AtomicBoolean();
            shop.shop().interference().with(new Interference.Around() {
                @Override
                public void before(String sql, Connection connection) throws SQLException {
                    if (sql.contains("due.done")) {
                        died.set(true);
                        throw Interference.connectionLost();
                    }
                }
            });

            assertThat(shop.close("a", Desk.class, 1L)).isInstanceOf(TransitionOutcome.Completed.class);

            await().atMost(20, SECONDS).untilTrue(died);
            shop.shop().interference().none();
            client(ofA).sql("UPDATE saga_due SET due_at = clock_timestamp()").update();
            await().atMost(20, SECONDS).until(() -> followed.size() == 2);
            await().atMost(20, SECONDS).until(() -> due(ofA) == 0);
        }
    }

    @Test
    void expiredEffectKeysArePurgedInTheDatabaseOfATenant() {
        try (TenantShop shop = open("saga.claims.purge-interval=1s")) {
            shop.save("a", Desk.class, 1);
            Object unused = shop.as(
                    "a",
                    () -> shop.shop()
                            .workflows()
                            .run(io.sagaspring.workflow.TransitionRequest.of("desk", 1L, "close", Shop.ADMIN)
                                    .effectKey("once")));
            assertThat(keys()).isOne();
            client(ofA)
                    .sql("UPDATE saga_effect_key SET expires_at = clock_timestamp()")
                    .update();

            await().atMost(20, SECONDS).until(() -> keys() == 0);
        }
    }

    private static int parked(TestDatabase database) {
        return client(database)
                .sql("SELECT count(*) FROM saga_due WHERE parked_at IS NOT NULL")
                .query(Integer.class)
                .single();
    }

    private static int due(TestDatabase database) {
        return client(database)
                .sql("SELECT count(*) FROM saga_due")
                .query(Integer.class)
                .single();
    }

    private int keys() {
        return client(ofA)
                .sql("SELECT count(*) FROM saga_effect_key")
                .query(Integer.class)
                .single();
    }
}
