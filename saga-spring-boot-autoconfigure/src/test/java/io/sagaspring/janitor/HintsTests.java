package io.sagaspring.janitor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimRecovery.Recovered;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.shop.Interference.Parked;
import io.sagaspring.shop.Loss;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.shop.Statements;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A hint is a ledger row that a janitor or a person has read without a lock. Tests which rows become hints, and that an
 * outdated hint has no effect.
 */
class HintsTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(database);

    private final long parcel = shop.pack();

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void nothingElseIsClaimed() {
        shop.database().sql("DELETE FROM saga_claim").update();
    }

    @AfterEach
    void letThrough() {
        shop.interference().none();
    }

    /** Rows survive a deployment, and the new version may have renamed the module. */
    @Test
    void aRowIsFoundAfterItsModuleIsRenamed() {
        claim();
        shop.silence(Duration.ofHours(1));
        shop.database().sql("UPDATE saga_claim SET module = 'former'").update();

        assertThat(shop.sweep()).isOne();
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    @Test
    void aRowOfAnUndeclaredClaimStateIsNotFound() {
        claim();
        shop.silence(Duration.ofHours(1));
        shop.database().sql("UPDATE saga_claim SET claim_state = 'RETURNING'").update();

        assertThat(shop.bean(ClaimRecovery.class).stuck("shop", Duration.ofMinutes(5), 10))
                .isEmpty();
        assertThat(shop.sweep()).isZero();
        assertThat(shop.claims()).isOne();
    }

    @Test
    void aBatchFullOfLockedRowsDoesNotStarveAnotherClaim() throws Exception {
        shop.database().sql("""
                        WITH held AS (
                            INSERT INTO parcel (status, note, version)
                            SELECT 'SENDING', 'held', 1 FROM generate_series(1, 520) RETURNING id)
                        INSERT INTO saga_claim (entity, entity_id, workflow, module, claim_state, revert_to, requester, node,
                            attempt, token, claimed_at, alive_at)
                        SELECT 'parcel', id::text, 'parcel', 'shop', 'SENDING', 'PACKED', 'admin', 'gone',
                            gen_random_uuid(), nextval('saga_token'), clock_timestamp(), clock_timestamp() FROM held""").update();
        shop.silence(Duration.ofHours(2));
        claim();
        shop.database()
                .sql("UPDATE saga_claim SET alive_at = clock_timestamp() - INTERVAL '1 hour' WHERE entity_id = ?")
                .param(Long.toString(parcel))
                .update();
        try (Connection frozen = database.dataSource().getConnection();
                Statement statement = frozen.createStatement()) {
            frozen.setAutoCommit(false);
            statement.execute("SELECT 1 FROM parcel WHERE note = 'held' FOR UPDATE");

            assertThat(shop.sweep()).isOne();
            assertThat(shop.status(parcel)).isEqualTo("PACKED");
            frozen.rollback();
        }
    }

    @Test
    void aPersonWhoReleasesAnEarlierClaimDoesNotChangeTheNextClaim() {
        Claim earlier = claim();
        ClaimedRow read = row();
        assertThat(claims().release(earlier)).isEqualTo(ClaimEnd.DONE);
        Claim next = claim();

        assertThat(shop.bean(ClaimRecovery.class).release(read)).isEqualTo(Recovered.PASSED_BY);
        assertThat(shop.status(parcel)).isEqualTo("SENDING");
        assertThat(claims().release(next)).isEqualTo(ClaimEnd.DONE);
    }

    @Test
    void aSweepThatHasReadAnEarlierClaimDoesNotChangeTheNextClaim() {
        Claim earlier = claim();
        ClaimedRow read = row();
        assertThat(claims().release(earlier)).isEqualTo(ClaimEnd.DONE);
        Claim next = claim();
        shop.silence(Duration.ofHours(1));

        ClaimRecovery recoveries = shop.bean(ClaimRecovery.class);
        assertThat(recoveries.recover(recoveries.databases().home(), read, Duration.ofMinutes(5)))
                .isEqualTo(Recovered.PASSED_BY);
        assertThat(shop.status(parcel)).isEqualTo("SENDING");
        assertThat(claims().release(next)).isEqualTo(ClaimEnd.DONE);
    }

    /**
     * Without the lock on the ledger row, the release and the owner would lock the ledger row and the entity in
     * opposite orders.
     */
    @Test
    void aManualReleaseDoesNotWaitForAnOwnerThatIsReleasing() throws Exception {
        Claim claim = claim();
        ClaimedRow read = row();
        Parked fence = shop.interference().park(Loss::isFence, true);
        CompletableFuture<ClaimEnd> releasing = OwnThread.call(() -> claims().release(claim));
        fence.awaitArrival();

        assertThat(OwnThread.call(() -> shop.bean(ClaimRecovery.class).release(read))
                        .get(20, SECONDS))
                .isEqualTo(Recovered.BLOCKED);
        fence.letGo();

        assertThat(releasing.get(20, SECONDS)).isEqualTo(ClaimEnd.DONE);
        assertThat(shop.version(parcel)).isEqualTo(2);
    }

    @Test
    void aManualReleaseTriesAgainIfTheOwnerSendsAHeartbeat() throws Exception {
        claim();
        try (Connection heartbeat = database.dataSource().getConnection()) {
            heartbeat.setAutoCommit(false);
            try (Statement renewal = heartbeat.createStatement()) {
                renewal.execute("SELECT 1 FROM saga_claim FOR UPDATE");
            }
            AtomicInteger tries = new AtomicInteger();
            shop.interference().with(new Around() {
                @Override
                public void after(String sql, Connection connection) throws SQLException {
                    if (Statements.isNamed(sql, "claim.lock") && tries.incrementAndGet() == 2) {
                        heartbeat.rollback();
                    }
                }
            });

            assertThat(shop.bean(ClaimRecovery.class).release(row())).isEqualTo(Recovered.FREED);
            assertThat(tries).hasValue(3);
        }
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    private ClaimedRow row() {
        return shop.bean(ClaimRecovery.class)
                .find("parcel", Long.toString(parcel))
                .orElseThrow();
    }

    private static ClaimService claims() {
        return shop.bean(ClaimService.class);
    }

    private Claim claim() {
        ClaimAttempt attempt = claims().tryClaim(
                        shop.bean(DeclaredClaimStates.class).of("shop").get(0), parcel, "admin");
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }
}
