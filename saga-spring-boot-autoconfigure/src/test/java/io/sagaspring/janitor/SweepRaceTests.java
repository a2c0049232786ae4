package io.sagaspring.janitor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.shop.Interference.Parked;
import io.sagaspring.shop.Loss;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A janitor and an owner race for one entity. Most tests stop one of them at a critical statement. The fence is the
 * statement with which a step removes its claim by the token.
 */
class SweepRaceTests extends SweptClaims {

    private static final String HINTS = "saga:claim.silent";

    @Test
    void theClaimOfAStepBeforeItsFenceIsNotReverted() throws Exception {
        Parked fence = shop.interference().park(Loss::isFence, false);
        CompletableFuture<TransitionOutcome> finalising = sendingSilently();
        fence.awaitArrival();

        OwnThread.run(shop::sweep).get(20, SECONDS);
        assertThat(shop.status(parcel)).isEqualTo("SENDING");
        fence.letGo();

        assertThat(finalising.get(20, SECONDS)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(shop.status(parcel)).isEqualTo("SENT");
        assertThat(shop.claims()).isZero();
    }

    @Test
    void theClaimOfAStepBetweenItsFenceAndItsCommitIsNotReverted() throws Exception {
        Parked commit = parkCommitBehindFence();
        CompletableFuture<TransitionOutcome> finalising = sendingSilently();
        commit.awaitArrival();

        OwnThread.run(shop::sweep).get(20, SECONDS);
        commit.letGo();

        assertThat(finalising.get(20, SECONDS)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(shop.status(parcel)).isEqualTo("SENT");
        assertThat(shop.version(parcel)).isEqualTo(2);
    }

    @Test
    void aStepWhoseClaimIsRevertedDuringTheActionEndsAsClaimLost() throws Exception {
        CountDownLatch inAction = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        shop.script().action = (entity, context) -> {
            entity.note("late");
            inAction.countDown();
            goOn.await();
            return ActionResult.success();
        };
        CompletableFuture<TransitionOutcome> working = sending();
        inAction.await();

        assertThat(sweepAfterSilence()).isOne();
        goOn.countDown();

        assertThat(working.get(20, SECONDS)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.note(parcel)).isEmpty();
        assertThat(shop.version(parcel)).isEqualTo(2);
    }

    @Test
    void aLateReleaseOrCompletionDoesNotChangeTheNextClaim() {
        Claim first = claim();
        assertThat(sweepAfterSilence()).isOne();
        Claim second = claim();

        assertThat(claims().release(first)).isEqualTo(ClaimEnd.TAKEN);
        assertThat(claims().complete(first, "SENT")).isEqualTo(ClaimEnd.TAKEN);

        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(shop.status(parcel)).isEqualTo("SENDING");
        assertThat(claims().complete(second, "SENT")).isEqualTo(ClaimEnd.DONE);
    }

    @Test
    void successiveClaimsOnOneThreadHaveGrowingTokens() {
        Claim first = claim();
        claims().release(first);
        Claim second = claim();

        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(second.version()).isEqualTo(first.version() + 2);
        assertThat(claims().release(first)).isEqualTo(ClaimEnd.TAKEN);
        assertThat(claims().release(second)).isEqualTo(ClaimEnd.DONE);
    }

    @Test
    void aReleaseAfterTheJanitorsRevertDoesNotFlipTheStatusAgain() throws Exception {
        Claim claim = claim();
        Parked release = shop.interference().park(Loss::isFence, false);
        CompletableFuture<ClaimEnd> releasing = OwnThread.call(() -> claims().release(claim));
        release.awaitArrival();

        assertThat(sweepAfterSilence()).isOne();
        release.letGo();

        assertThat(releasing.get(20, SECONDS)).isEqualTo(ClaimEnd.TAKEN);
        assertThat(shop.version(parcel)).isEqualTo(2);
    }

    @Test
    void aSweepSkipsAClaimThatIsBeingReleased() throws Exception {
        Claim claim = claim();
        shop.silence(Duration.ofMinutes(6));
        Parked release = shop.interference().park(Loss::isFence, true);
        CompletableFuture<ClaimEnd> releasing = OwnThread.call(() -> claims().release(claim));
        release.awaitArrival();

        assertThat(OwnThread.call(shop::sweep).get(20, SECONDS)).isZero();
        release.letGo();

        assertThat(releasing.get(20, SECONDS)).isEqualTo(ClaimEnd.DONE);
        assertThat(shop.version(parcel)).isEqualTo(2);
    }

    @Test
    void aLiveClaimIsNotMistakenForAnOrphan() throws Exception {
        Parked commit = parkCommitBehindFence();
        CompletableFuture<TransitionOutcome> finalising = sending();
        commit.awaitArrival();
        String token = token();

        shop.bean(ClaimRecovery.class).adoptOrphans("shop");
        assertThat(token()).isEqualTo(token);
        commit.letGo();
        finalising.get(20, SECONDS);

        assertThat(shop.claims()).isZero();
    }

    @Test
    void aDelayedOrphanSearchDoesNotReplaceANewClaim() throws Exception {
        Parked search = shop.interference().park("saga:claim.adopt");
        CompletableFuture<?> searching =
                OwnThread.call(() -> shop.bean(ClaimRecovery.class).adoptOrphans("shop"));
        search.awaitArrival();
        Claim claim = claim();
        search.letGo();
        searching.get(20, SECONDS);

        assertThat(token()).isEqualTo(claim.token().toString());
        assertThat(claims().release(claim)).isEqualTo(ClaimEnd.DONE);
    }

    @Test
    void concurrentSweepsRevertEachClaimOnce() throws Exception {
        List<Long> many = Stream.generate(shop::pack).limit(40).toList();
        many.forEach(SweepRaceTests::claim);
        shop.silence(Duration.ofMinutes(6));

        CompletableFuture<?>[] sweeps =
                Stream.generate(() -> OwnThread.run(shop::sweep)).limit(4).toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(sweeps).get(20, SECONDS);

        assertThat(shop.claims()).isZero();
        assertThat(many).allSatisfy(each -> assertThat(shop.version(each)).isEqualTo(2));
    }

    @Test
    void aSweepWithAnOutdatedLedgerRowFreesNoClaim() throws Exception {
        Claim first = claim();
        shop.silence(Duration.ofMinutes(6));
        Parked hints = shop.interference().parkAfter(HINTS);
        CompletableFuture<Integer> sweeping = OwnThread.call(shop::sweep);
        hints.awaitArrival();
        claims().release(first);
        claim();
        shop.silence(Duration.ofMinutes(6));
        Claim third = revertedAndClaimedAgain();
        hints.letGo();
        sweeping.get(20, SECONDS);

        assertThat(token()).isEqualTo(third.token().toString());
        assertThat(shop.status(parcel)).isEqualTo("SENDING");
    }

    private Claim revertedAndClaimedAgain() {
        shop.database().sql("DELETE FROM saga_claim").update();
        shop.database()
                .sql("UPDATE parcel SET status = 'PACKED' WHERE id = ?")
                .param(parcel)
                .update();
        return claim();
    }

    /** Sends the parcel. When the step ends, the last heartbeat of the claim is long ago. */
    private CompletableFuture<TransitionOutcome> sendingSilently() {
        shop.script().action = (entity, context) -> {
            shop.silence(Duration.ofMinutes(6));
            return ActionResult.success();
        };
        return sending();
    }
}
