package io.sagaspring.autoconfigure;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * After-effects, heartbeats and sweeps continue after an application was stopped without being closed, and restarted.
 */
class EngineRestartTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop =
            Shop.open(database, "saga.janitor.interval=200ms", "saga.keeper.interval=200ms", "saga.due.concurrency=2");

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void stopAndStartAgain() {
        shop.script().action = (entity, context) -> ActionResult.success();
        shop.script().afterEffect = (entity, context) -> {};
        shop.context().stop();
        assertThat(shop.bean(EngineLifecycle.class).isRunning()).isFalse();
        assertThat(shop.bean(WorkLifecycle.class).isRunning()).isFalse();
        shop.context().start();
    }

    @Test
    void afterEffectsAreDeliveredAfterARestart() {
        assertThatAnAfterEffectIsDelivered();
    }

    @Test
    void claimsAreRenewedAfterARestart() {
        long parcel = shop.pack();
        shop.script().action = (entity, context) -> {
            String before = aliveAt(parcel);
            await().atMost(20, SECONDS).until(() -> !aliveAt(parcel).equals(before));
            return ActionResult.success();
        };

        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
    }

    @Test
    void janitorsSweepAfterARestart() {
        long parcel = shop.pack();
        assertThat(shop.bean(ClaimService.class)
                        .tryClaim(
                                shop.bean(DeclaredClaimStates.class).of("shop").get(0), parcel, "gone"))
                .isInstanceOf(ClaimAttempt.Granted.class);
        shop.silence(Duration.ofHours(1));

        await().atMost(20, SECONDS).until(() -> shop.status(parcel).equals("PACKED"));
    }

    /** A paused application still serves requests, so its claims must be renewed and its after-effects delivered. */
    @Test
    void aPausedApplicationContinuesToDeliverAfterEffects() {
        shop.context().pause();
        try {
            assertThat(shop.bean(EngineLifecycle.class).isRunning()).isTrue();
            assertThatAnAfterEffectIsDelivered();
        } finally {
            shop.context().restart();
        }
    }

    private static void assertThatAnAfterEffectIsDelivered() {
        long parcel = shop.pack();
        CompletableFuture<Void> delivered = new CompletableFuture<>();
        // After-effects of other tests may be delivered here, too.
        shop.script().afterEffect = (entity, context) -> {
            if (entity.id() == parcel) {
                delivered.complete(null);
            }
        };

        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);

        assertThat(delivered).succeedsWithin(20, SECONDS);
    }

    private static String aliveAt(long parcel) {
        return shop.database()
                .sql("SELECT alive_at::text FROM saga_claim WHERE entity_id = ?")
                .param(Long.toString(parcel))
                .query(String.class)
                .single();
    }
}
