package io.sagaspring.claim;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Code that claims an entity without a workflow can have the claim renewed while its work runs. */
class KeptClaimTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(database);

    private final ClaimService claims = shop.bean(ClaimService.class);
    private final long parcel = shop.pack();

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @Test
    void aClaimIsRenewedUntilItsHoldIsClosedAndThenReverted() {
        Claim claim = claim();
        try (Hold hold = claims.keep(claim)) {
            assertThat(hold.stop()).isNull();
            shop.silence(Duration.ofMinutes(6));

            shop.bean(Keeper.class).beat();
            shop.sweep();

            assertThat(shop.status(parcel)).isEqualTo("SENDING");
        }
        shop.silence(Duration.ofMinutes(6));
        shop.bean(Keeper.class).beat();
        shop.sweep();

        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(claims.complete(claim, "SENT")).isEqualTo(ClaimEnd.TAKEN);
    }

    @Test
    void thePreviousOwnerOfALostClaimIsInterruptedAndChangesNothing() throws Exception {
        Claim claim = claim();
        CountDownLatch working = new CountDownLatch(1);
        CompletableFuture<ClaimEnd> work = OwnThread.call(() -> {
            try (Hold hold = claims.keep(claim)) {
                hold.during(() -> {
                    working.countDown();
                    new CountDownLatch(1).await();
                    return true;
                });
                return claims.complete(claim, "SENT");
            } catch (InterruptedException lost) {
                return claims.release(claim);
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        });
        assertThat(working.await(20, SECONDS)).isTrue();

        ClaimRecovery recoveries = shop.bean(ClaimRecovery.class);
        assertThat(recoveries.release(
                        recoveries.find("parcel", Long.toString(parcel)).orElseThrow()))
                .isEqualTo(ClaimRecovery.Recovered.FREED);
        shop.bean(Keeper.class).beat();

        assertThat(work.get(20, SECONDS)).isEqualTo(ClaimEnd.TAKEN);
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    @Test
    void aHeldClaimIsCompletedAfterItsWork() throws Exception {
        Claim claim = claim();
        try (Hold hold = claims.keep(claim)) {
            assertThat(hold.during(() -> "sent")).isEqualTo("sent");
            assertThat(claims.complete(claim, "SENT")).isEqualTo(ClaimEnd.DONE);
        }
        assertThat(shop.status(parcel)).isEqualTo("SENT");
        assertThat(shop.bean(Keeper.class).holds()).isEmpty();
    }

    private Claim claim() {
        ClaimState state = shop.bean(DeclaredClaimStates.class).all().get(0);
        ClaimAttempt attempt = claims.tryClaim(state, parcel, "admin");
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }
}
