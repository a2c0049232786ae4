package io.sagaspring.janitor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Interference.Parked;
import io.sagaspring.shop.Loss;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.shop.Statements;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Janitor, keeper, worker and the application's own transactions on one entity, each stopped where it hurts. */
@ExtendWith(OutputCaptureExtension.class)
class SweepRaceTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    /** The keeper beats on a connection that can be interfered with, and only when a test calls it. */
    private static final Shop shop =
            Shop.open(database, "saga.keeper.own-connection=false", "saga.janitor.orphan-interval=200ms");

    private static final String HINTS = "saga:claim.silent";
    private static final String LOCK_SILENT = "saga:claim.lock-silent";
    private static final String BEAT = "saga:claim.renew";

    private final long parcel = shop.pack();

    static {
        shop.database()
                .sql("CREATE TABLE payment (parcel_id bigint REFERENCES parcel)")
                .update();
        shop.database().sql("""
                        CREATE FUNCTION jam() RETURNS trigger LANGUAGE plpgsql AS
                        'BEGIN RAISE EXCEPTION ''jammed''; END'""").update();
        shop.database().sql("""
                        CREATE TRIGGER jams BEFORE UPDATE ON parcel FOR EACH ROW
                        WHEN (NEW.status = 'PACKED' AND NEW.note = 'jams') EXECUTE FUNCTION jam()""").update();
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void nothingElseIsClaimed() {
        shop.database().sql("DELETE FROM saga_claim").update();
        shop.database().sql("UPDATE parcel SET status = 'PACKED', note = ''").update();
        shop.script().action = (entity, context) -> ActionResult.success();
        shop.script().afterEffect = (entity, context) -> {};
    }

    @AfterEach
    void letThrough() {
        shop.interference().none();
    }

    @Test
    void aFinaliserBeforeItsFenceIsNotSweptUnderItsFeet() throws Exception {
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
    void aFinaliserBetweenItsFenceAndItsCommitIsNotSweptUnderItsFeet() throws Exception {
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
    void aSweepThatHasLockedItsRowMakesTheFinaliserLose() throws Exception {
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
    void aClaimThatIsRenewedAfterTheHintIsNotTaken() throws Exception {
        working(() -> {
            shop.silence(Duration.ofMinutes(6));
            Parked lock = shop.interference().park(LOCK_SILENT);
            CompletableFuture<Integer> sweeping = OwnThread.call(shop::sweep);
            lock.awaitArrival();
            keeper().beat();
            lock.letGo();
            sweeping.get(20, SECONDS);
            assertThat(shop.status(parcel)).isEqualTo("SENDING");
        });

        assertThat(shop.status(parcel)).isEqualTo("SENT");
    }

    @Test
    void aBeatDoesNotWaitForASweepAndTellsTheWorkerOnceItIsTaken() throws Exception {
        AtomicBoolean interrupted = new AtomicBoolean();
        CountDownLatch inAction = new CountDownLatch(1);
        shop.script().action = (entity, context) -> {
            inAction.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException stop) {
                interrupted.set(true);
                throw stop;
            }
            return ActionResult.success();
        };
        CompletableFuture<TransitionOutcome> working = sending();
        inAction.await();
        shop.silence(Duration.ofMinutes(6));
        Parked locked = shop.interference().parkAfter(LOCK_SILENT);
        CompletableFuture<Integer> sweeping = OwnThread.call(shop::sweep);
        locked.awaitArrival();

        OwnThread.run(keeper()::beat).get(30, SECONDS);
        assertThat(hold().stop()).as("while the sweep has decided nothing").isNull();
        locked.letGo();
        assertThat(sweeping.get(20, SECONDS)).isOne();
        Hold hold = hold();
        keeper().beat();

        assertThat(hold.stop()).isEqualTo(Hold.Stop.TAKEN);
        assertThat(working.get(20, SECONDS)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(interrupted).isTrue();
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    @Test
    void aBeatThatComesTooLateFindsItsClaimTaken() throws Exception {
        CountDownLatch inAction = new CountDownLatch(1);
        shop.script().action = (entity, context) -> {
            inAction.countDown();
            new CountDownLatch(1).await();
            return ActionResult.success();
        };
        CompletableFuture<TransitionOutcome> working = sending();
        inAction.await();
        Parked renewal = shop.interference().park(BEAT);
        CompletableFuture<Void> beating = OwnThread.run(keeper()::beat);
        renewal.awaitArrival();

        assertThat(sweepAfterSilence()).isOne();
        renewal.letGo();
        beating.get(20, SECONDS);

        assertThat(working.get(20, SECONDS)).isEqualTo(new TransitionOutcome.ClaimLost());
    }

    @Test
    void aBeatThatCameInTimeKeepsTheClaim() throws Exception {
        working(() -> {
            shop.silence(Duration.ofMinutes(6));
            Parked renewed = shop.interference().parkAfter(BEAT);
            CompletableFuture<Void> beating = OwnThread.run(keeper()::beat);
            renewed.awaitArrival();
            assertThat(shop.sweep()).isZero();
            renewed.letGo();
            beating.get(20, SECONDS);
            assertThat(hold().stop()).isNull();
        });

        assertThat(shop.status(parcel)).isEqualTo("SENT");
    }

    @Test
    void aBeatWhileTheFenceIsPassedIsNoTakeOver() throws Exception {
        Parked commit = parkCommitBehindFence();
        CompletableFuture<TransitionOutcome> finalising = sending();
        commit.awaitArrival();

        OwnThread.run(keeper()::beat).get(30, SECONDS);
        commit.letGo();

        assertThat(finalising.get(20, SECONDS)).isInstanceOf(TransitionOutcome.Completed.class);
    }

    @Test
    void aLateReleaseOrCompletionChangesNothingOfTheNextClaim() {
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
    void oneAfterTheOtherOnOneThreadHaveGrowingTokens() {
        Claim first = claim();
        claims().release(first);
        Claim second = claim();

        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(second.version()).isEqualTo(first.version() + 2);
        assertThat(claims().release(first)).isEqualTo(ClaimEnd.TAKEN);
        assertThat(claims().release(second)).isEqualTo(ClaimEnd.DONE);
    }

    @Test
    void aReleaseThatComesAfterTheJanitorFlipsNothingTwice() throws Exception {
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
    void aReleaseThatHasBegunIsLeftAlone() throws Exception {
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
    void anEntityThatATransactionHoldsIsSkippedAndItsBackendNamed(CapturedOutput output) throws Exception {
        claim();
        try (Connection frozen = database.dataSource().getConnection();
                Statement statement = frozen.createStatement()) {
            frozen.setAutoCommit(false);
            statement.execute("SELECT 1 FROM parcel WHERE id = %s FOR UPDATE".formatted(parcel));
            String pid = pid(statement);

            assertThat(OwnThread.call(this::sweepAfterSilence).get(20, SECONDS)).isZero();
            assertThat(output).contains("is stuck in SENDING, was claimed at").contains("backend %s (".formatted(pid));
            frozen.rollback();
        }
        assertThat(shop.sweep()).isOne();
    }

    @Test
    void aPaymentThatRefersToTheEntityDoesNotKeepTheJanitorOut() throws Exception {
        claim();
        try (Connection paying = database.dataSource().getConnection();
                Statement statement = paying.createStatement()) {
            paying.setAutoCommit(false);
            statement.execute("INSERT INTO payment VALUES (%s)".formatted(parcel));

            assertThat(OwnThread.call(this::sweepAfterSilence).get(20, SECONDS)).isOne();
            paying.rollback();
        }
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    @Test
    @ExpectsErrors("could not free 1 claims for one cause")
    void aRowThatBreaksDoesNotKeepTheRestFromBeingFreed(CapturedOutput output) {
        long jamming = shop.pack();
        claim(jamming);
        shop.database()
                .sql("UPDATE parcel SET note = 'jams' WHERE id = ?")
                .param(jamming)
                .update();
        claim();

        sweepAfterSilence();

        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.status(jamming)).isEqualTo("SENDING");
        assertThat(output)
                .contains("could not free 1 claims for one cause, for example parcel %s in SENDING".formatted(jamming));
    }

    @Test
    @ExpectsErrors("could not search for entities in a claim state without a claim")
    void aSearchForOrphansThatFailsDoesNotKeepTheSweepFromFreeing() {
        AtomicBoolean failed = new AtomicBoolean();
        shop.interference().with(new Interference.Around() {
            @Override
            public void before(String sql, Connection connection) throws SQLException {
                if (Statements.named("janitor.turn", "claim.adopt").test(sql)) {
                    failed.set(true);
                    throw new SQLException("permission denied", "42501");
                }
            }
        });

        // A sweep searches only when the interval is over.
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            claim();
            sweepAfterSilence();
            assertThat(shop.status(parcel)).isEqualTo("PACKED");
            return failed.get();
        });
    }

    @Test
    void anEntityThatIsGoneLeavesNoClaimBehind(CapturedOutput output) {
        claim();
        shop.database().sql("DELETE FROM parcel WHERE id = ?").param(parcel).update();

        sweepAfterSilence();

        assertThat(shop.claims()).isZero();
        assertThat(output).contains("parcel %s was claimed, but it was deleted".formatted(parcel));
    }

    @Test
    void anEntityThatWasMovedStaysWhereItIs(CapturedOutput output) {
        claim();
        shop.database()
                .sql("UPDATE parcel SET status = 'LOST', version = version + 1 WHERE id = ?")
                .param(parcel)
                .update();

        sweepAfterSilence();

        assertThat(shop.claims()).isZero();
        assertThat(shop.status(parcel)).isEqualTo("LOST");
        assertThat(output).contains("or is no longer in SENDING");
    }

    @Test
    void aClaimThatWasLeftBehindDoesNotKeepAnybodyFromClaiming() {
        Claim left = claim();
        shop.database()
                .sql("UPDATE parcel SET status = 'PACKED' WHERE id = ?")
                .param(parcel)
                .update();

        Claim next = claim();

        assertThat(next.token()).isGreaterThan(left.token());
        assertThat(shop.claims()).isOne();
        assertThat(claims().complete(left, "SENT")).isEqualTo(ClaimEnd.TAKEN);
        assertThat(claims().release(next)).isEqualTo(ClaimEnd.DONE);
    }

    @Test
    void aLiveClaimIsNeverTakenForAnOrphan() throws Exception {
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
    void aSearchForOrphansThatWasParkedFindsTheClaimThatWasMadeMeanwhile() throws Exception {
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
    void anyNumberOfNodesMaySweepAtOnce() throws Exception {
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
    void aHintThatIsOldFreesNothing() throws Exception {
        Claim first = claim();
        shop.silence(Duration.ofMinutes(6));
        Parked hints = shop.interference().parkAfter(HINTS);
        CompletableFuture<Integer> sweeping = OwnThread.call(shop::sweep);
        hints.awaitArrival();
        claims().release(first);
        claim();
        shop.silence(Duration.ofMinutes(6));
        Claim third = takenAndClaimedAgain();
        hints.letGo();
        sweeping.get(20, SECONDS);

        assertThat(token()).isEqualTo(third.token().toString());
        assertThat(shop.status(parcel)).isEqualTo("SENDING");
    }

    private Claim takenAndClaimedAgain() {
        shop.database().sql("DELETE FROM saga_claim").update();
        shop.database()
                .sql("UPDATE parcel SET status = 'PACKED' WHERE id = ?")
                .param(parcel)
                .update();
        return claim();
    }

    private interface Step {
        void go() throws Exception;
    }

    /** What happens while the action runs. */
    private void working(Step meanwhile) {
        shop.script().action = (entity, context) -> {
            meanwhile.go();
            return ActionResult.success();
        };
        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
    }

    private CompletableFuture<TransitionOutcome> sending() {
        return OwnThread.call(() -> shop.send(parcel));
    }

    /** Nothing will have been heard of it for long when it comes to its end. */
    private CompletableFuture<TransitionOutcome> sendingSilently() {
        shop.script().action = (entity, context) -> {
            shop.silence(Duration.ofMinutes(6));
            return ActionResult.success();
        };
        return sending();
    }

    private static Parked parkCommitBehindFence() {
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

    private int sweepAfterSilence() {
        shop.silence(Duration.ofMinutes(6));
        return shop.sweep();
    }

    private static Keeper keeper() {
        return shop.bean(Keeper.class);
    }

    private static Hold hold() {
        return keeper().holds().iterator().next();
    }

    private static ClaimService claims() {
        return shop.bean(ClaimService.class);
    }

    private Claim claim() {
        return claim(parcel);
    }

    private static Claim claim(long id) {
        ClaimState state = shop.bean(DeclaredClaimStates.class).of("shop").get(0);
        ClaimAttempt attempt = claims().tryClaim(state, id, "admin");
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }

    private static String token() {
        return Objects.requireNonNull(shop.database()
                .sql("SELECT token::text FROM saga_claim")
                .query(String.class)
                .single());
    }

    private static String pid(Statement statement) throws SQLException {
        try (ResultSet self = statement.executeQuery("SELECT pg_backend_pid()")) {
            self.next();
            return self.getString(1);
        }
    }
}
