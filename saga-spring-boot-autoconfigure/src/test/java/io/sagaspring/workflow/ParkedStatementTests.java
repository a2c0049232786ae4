package io.sagaspring.workflow;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.fence.OutcomeUnknownException;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference.Parked;
import io.sagaspring.shop.Loss;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.shop.Statements;
import io.sagaspring.test.database.TestDatabase;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests steps while one of their statements waits and another actor acts, or when the acknowledgement of a statement is
 * lost.
 */
class ParkedStatementTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(database);

    private final long parcel = shop.pack();

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @AfterEach
    void letThrough() {
        shop.interference().none();
    }

    @Test
    void aCallerGetsClaimFailedWhileTheFlipOfAnotherCallerWaits() throws Exception {
        Parked flip = shop.interference().parkAfter("saga:claim.flip");
        CompletableFuture<TransitionOutcome> winner = OwnThread.call(() -> shop.send(parcel));
        flip.awaitArrival();

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.ClaimFailed("SENDING"));
        flip.letGo();
        assertThat(winner.get(20, SECONDS)).isInstanceOf(TransitionOutcome.Completed.class);
    }

    @Test
    void aStepThatLosesItsClaimBeforeTheFinalCheckCommitsNothing() throws Exception {
        Parked fence = shop.interference().park(Loss::isFence, false);
        CompletableFuture<TransitionOutcome> frozen = OwnThread.call(() -> shop.send(parcel));
        fence.awaitArrival();
        // Do what the janitor of another node could do if the waiting flip had not locked the entity.
        shop.database().sql("DELETE FROM saga_claim").update();
        fence.letGo();

        assertThat(frozen.get(20, SECONDS)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(shop.note(parcel)).isEmpty();
        assertThat(shop.status(parcel)).isEqualTo("SENDING");
    }

    @Test
    void aStepContinuesIfTheAcknowledgementOfItsClaimIsLost() {
        shop.interference().with(Loss.ofAnswer(Statements.named("claim.flip")));

        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(shop.version(parcel)).isEqualTo(2);
    }

    @Test
    void aClaimThatNeverReachedTheDatabaseIsTriedAgain() {
        shop.interference().with(Loss.ofRequest(Statements.named("claim.flip")));

        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(shop.version(parcel)).isEqualTo(2);
    }

    @Test
    @ExpectsErrors("is committed. The failure came after the commit")
    void aCommitWhoseAcknowledgementIsLostIsASuccess() {
        shop.interference().with(Loss.ofAnswer("COMMIT"::equals).behindTheFence());

        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(shop.status(parcel)).isEqualTo("SENT");
        assertThat(shop.claims()).isZero();
    }

    @Test
    void aStepWhoseCommitNeverReachedTheDatabaseFailsAndReleasesItsClaim() {
        shop.interference().with(Loss.ofRequest("COMMIT"::equals).behindTheFence());

        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> shop.send(parcel))
                .isNotInstanceOf(OutcomeUnknownException.class);
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.note(parcel)).isEmpty();
        assertThat(shop.claims()).isZero();
    }

    @Test
    void ifACommitCannotBeCheckedTheOutcomeIsUnknownAndNothingIsRepeated() {
        AtomicInteger actions = new AtomicInteger();
        shop.script().action = (entity, context) -> {
            actions.incrementAndGet();
            return ActionResult.success();
        };
        shop.interference()
                .with(Loss.ofEveryAnswer(sql -> sql.equals("COMMIT") || Statements.isNamed(sql, "transaction.status"))
                        .behindTheFence());

        assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> shop.send(parcel));
        assertThat(actions).hasValue(1);
    }
}
