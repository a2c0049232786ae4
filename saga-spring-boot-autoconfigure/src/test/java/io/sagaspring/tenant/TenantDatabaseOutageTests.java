package io.sagaspring.tenant;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sagaspring.chaos.Cable;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.database.Databases;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.tenant.apart.Desk;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.TransitionOutcome;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.health.contributor.HealthIndicator;

/** The database of a tenant is down, or does not answer, while the other tenants are served. */
@ExpectsErrors({"cannot be used", "failed and will be tried again", "could not sweep", "could not free claims"})
class TenantDatabaseOutageTests extends TenantDatabaseFixture {

    @Test
    void otherTenantsContinueDuringAnOutageAndTheStuckClaimIsFreedAfterwards() {
        try (TenantShop shop = open()) {
            shop.save("a", Desk.class, 1);
            shop.save("b", Desk.class, 1);
            shop.save("b", Desk.class, 2);
            assertThat(shop.claim("a", Desk.class, 1L)).isInstanceOf(ClaimAttempt.Granted.class);
            assertThat(shop.claim("b", Desk.class, 1L)).isInstanceOf(ClaimAttempt.Granted.class);
            silence(ofA);
            try (Outage outage = new Outage(ofA, home)) {
                assertThat(outage).isNotNull();
                silence(ofB);

                await().atMost(20, SECONDS).until(() -> status(ofB, 1).equals("OPEN"));
                assertThat(shop.close("b", Desk.class, 2L)).isInstanceOf(TransitionOutcome.Completed.class);
                await().atMost(20, SECONDS).until(() -> followed.contains("2"));
                assertThatThrownBy(() -> shop.claim("a", Desk.class, 1L)).isNotNull();
                await().atMost(20, SECONDS)
                        .untilAsserted(
                                () -> assertThat(health(shop)).contains("The database of tenant 'a' cannot be used"));
            }
            silence(ofA);

            await().atMost(20, SECONDS).until(() -> status(ofA, 1).equals("OPEN"));
            await().atMost(20, SECONDS)
                    .untilAsserted(() -> assertThat(health(shop)).doesNotContain("cannot be used"));
        }
    }

    /** After the cut, no data arrives, but no connection is refused. */
    @Test
    void otherTenantsContinueWhileADatabaseDoesNotAnswer() throws Exception {
        try (Cable cable = cableTo(ofA);
                TenantShop shop = open("test.databases.a=" + through(cable))) {
            shop.save("a", Desk.class, 1);
            shop.save("b", Desk.class, 1);
            shop.save("b", Desk.class, 2);
            ClaimService claims = shop.bean(ClaimService.class);
            try (Hold heldA = claims.keep(granted(shop, "a").claim());
                    Hold heldB = claims.keep(granted(shop, "b").claim())) {
                assertThat(heldA).isNotNull();
                Keeper keeper = shop.bean(Keeper.class);
                keeper.beat();
                cable.cut();
                String before = aliveAt(ofB);

                keeper.beat();
                assertThat(shop.close("b", Desk.class, 2L)).isInstanceOf(TransitionOutcome.Completed.class);
                await().atMost(20, SECONDS).until(() -> followed.contains("2"));
                await().atMost(20, SECONDS).until(() -> !aliveAt(ofB).equals(before));
                assertThat(heldB.stop()).isNull();
                assertThat(claims.list(10)).extracting(ClaimedRow::tenant).containsExactly("b");
            }
            silence(ofB);
            await().atMost(20, SECONDS).until(() -> status(ofB, 1).equals("OPEN"));
            shop.bean(TenantSources.class).add("c", ofC.getJdbcUrl());
            shop.tenants().add("c");
            silenceOfNewTenant(shop);
        }
    }

    /** Makes a claim of a new tenant stuck, and waits until the node has found and freed the claim. */
    private void silenceOfNewTenant(TenantShop shop) {
        await().atMost(30, SECONDS).until(() -> threads().contains("saga-tenant-c"));
        shop.save("c", Desk.class, 1);
        assertThat(shop.claim("c", Desk.class, 1L)).isInstanceOf(ClaimAttempt.Granted.class);
        silence(ofC);
        await().atMost(30, SECONDS).until(() -> status(ofC, 1).equals("OPEN"));
    }

    @Test
    void theApplicationStartsWhileADatabaseDoesNotAnswer() throws Exception {
        try (Cable cable = cableTo(ofA)) {
            cable.cut();
            try (TenantShop shop = open("test.databases.a=" + through(cable))) {
                shop.save("b", Desk.class, 1);

                assertThat(shop.close("b", Desk.class, 1L)).isInstanceOf(TransitionOutcome.Completed.class);

                await().atMost(20, SECONDS).until(() -> followed.contains("1"));
            }
        }
    }

    private static Cable cableTo(TestDatabase database) throws IOException {
        PGSimpleDataSource server = (PGSimpleDataSource) database.dataSource();
        return new Cable(server.getServerNames()[0], server.getPortNumbers()[0]);
    }

    private String through(Cable cable) {
        PGSimpleDataSource server = (PGSimpleDataSource) ofA.dataSource();
        return "jdbc:postgresql://localhost:%d/%s".formatted(cable.port(), server.getDatabaseName());
    }

    private static String health(TenantShop shop) {
        return String.valueOf(Objects.requireNonNull(shop.shop()
                        .context()
                        .getBean("sagaHealthIndicator", HealthIndicator.class)
                        .health())
                .getDetails());
    }

    @Test
    void theApplicationStartsWhileADatabaseIsDownAndUsesTheDatabaseLater() {
        try (Outage outage = new Outage(ofA, home);
                TenantShop shop = open()) {
            await().atMost(20, SECONDS)
                    .untilAsserted(() ->
                            assertThat(shop.bean(Databases.class).troubles()).containsOnlyKeys("a"));
            assertThat(health(shop)).contains("The database of tenant 'a' cannot be used");
            shop.save("b", Desk.class, 1);
            assertThat(shop.close("b", Desk.class, 1L)).isInstanceOf(TransitionOutcome.Completed.class);

            outage.end();
            shop.save("a", Desk.class, 1);
            assertThat(shop.close("a", Desk.class, 1L)).isInstanceOf(TransitionOutcome.Completed.class);

            await().atMost(20, SECONDS).until(() -> followed.size() == 2);
            assertThat(shop.bean(Databases.class).troubles()).isEmpty();
        }
    }

    @Test
    void aDatabaseThatIsDownDoesNotDelayTheHeartbeatsOfOtherTenants() {
        try (TenantShop shop = open()) {
            shop.save("a", Desk.class, 1);
            shop.save("b", Desk.class, 1);
            ClaimService claims = shop.bean(ClaimService.class);
            Keeper keeper = shop.bean(Keeper.class);
            try (Hold heldA = claims.keep(granted(shop, "a").claim());
                    Hold heldB = claims.keep(granted(shop, "b").claim());
                    Outage outage = new Outage(ofA, home)) {
                assertThat(List.of(heldA, outage)).hasSize(2);
                String before = aliveAt(ofB);

                await().atMost(20, SECONDS).until(() -> {
                    keeper.beat();
                    return !aliveAt(ofB).equals(before);
                });
                assertThat(heldB.stop()).isNull();
            }
        }
    }
}
