package io.sagaspring.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference.Parked;
import io.sagaspring.shop.Loss;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Base of tests in which sweeps, heartbeats and owners race for one parcel. Nothing is claimed when a test begins. */
abstract class SweptClaims {

    static TestDatabase database;

    /** The keeper renews only when a test calls it. A test can interfere with the keeper's connection. */
    static Shop shop;

    static final String LOCK_SILENT = "saga:claim.lock-silent";

    long parcel;

    @BeforeAll
    static void open() {
        database = TestDatabase.create(MigratedSchema.class);
        shop = Shop.open(database, "saga.keeper.own-connection=false", "saga.janitor.orphan-interval=200ms");
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void nothingElseIsClaimed() {
        parcel = shop.pack();
        shop.database().sql("DELETE FROM saga_claim").update();
        shop.database().sql("UPDATE parcel SET status = 'PACKED', note = ''").update();
        shop.script().action = (entity, context) -> ActionResult.success();
        shop.script().afterEffect = (entity, context) -> {};
    }

    @AfterEach
    void letThrough() {
        shop.interference().none();
    }

    CompletableFuture<TransitionOutcome> sending() {
        return OwnThread.call(() -> shop.send(parcel));
    }

    static Parked parkCommitBehindFence() {
        ThreadLocal<Boolean> behind = ThreadLocal.withInitial(() -> false);
        return shop.interference()
                .park(
                        sql -> {
                            if (Loss.isFence(sql)) {
                                behind.set(true);
                            }
                            return behind.get() && sql.equals("COMMIT");
                        },
                        false);
    }

    int sweepAfterSilence() {
        shop.silence(Duration.ofMinutes(6));
        return shop.sweep();
    }

    static ClaimService claims() {
        return shop.bean(ClaimService.class);
    }

    Claim claim() {
        return claim(parcel);
    }

    static Claim claim(long id) {
        ClaimState state = shop.bean(DeclaredClaimStates.class).of("shop").get(0);
        ClaimAttempt attempt = claims().tryClaim(state, id, "admin");
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }

    static String token() {
        return Objects.requireNonNull(shop.database()
                .sql("SELECT token::text FROM saga_claim")
                .query(String.class)
                .single());
    }
}
