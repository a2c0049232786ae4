package io.sagaspring.entity;

import static io.sagaspring.entity.SpelledShop.acting;
import static io.sagaspring.entity.SpelledShop.database;
import static io.sagaspring.entity.SpelledShop.shop;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.definition.Requester;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.EffectKeyReusedException;
import io.sagaspring.workflow.TransitionOutcome;
import jakarta.persistence.EntityManager;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ledger identifies an entity by its id in the database's spelling, even if a caller uses a different spelling. */
class SpelledIdsTests {

    @AfterAll
    static void close() {
        threads.shutdownNow();
        shop.close();
        database.close();
    }

    @Test
    void aTextWithAnExponentIsRefusedAtOnce() {
        assertTimeoutPreemptively(
                Duration.ofSeconds(2),
                () -> assertThatExceptionOfType(NoSuchIdException.class)
                        .isThrownBy(() -> table(Spelling.SCALED).idOf("1.0E600000000")));
        assertThat(table(Spelling.SCALED).idOf("-7.00")).isEqualTo(BigInteger.valueOf(-7));
    }

    @Test
    void aTextThatIsTooLongForANumberIsRefusedAtOnce() {
        String digits = "9".repeat(1_000_000);

        assertTimeoutPreemptively(
                Duration.ofSeconds(2),
                () -> assertThatExceptionOfType(NoSuchIdException.class)
                        .isThrownBy(() -> table(Spelling.SCALED).rowId(digits))
                        .withMessageContaining("9999…"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\0b", "\0", "\uD83D", "a\uDE80b"})
    void anIdThatNoColumnCanHoldIsRefusedAndClaimsNothing(String id) {
        for (Spelling spelling : List.of(Spelling.PADDED, Spelling.CASELESS)) {
            assertThatExceptionOfType(NoSuchIdException.class)
                    .isThrownBy(() -> claims().tryClaim(spelling.state(), id, "admin"))
                    .withMessageContaining("an unpaired surrogate");
        }
        assertThat(shop.database()
                        .sql("SELECT count(*) FROM saga_claim")
                        .query(Long.class)
                        .single())
                .isZero();
        assertThat(table(Spelling.PADDED).rowId("\uD83D\uDE80")).isEqualTo("\uD83D\uDE80");
    }

    private static EntityTable table(Spelling spelling) {
        return shop.bean(DeclaredClaimStates.class).tableOf(spelling.state());
    }

    @BeforeEach
    void reset() {
        acting = (entity, context) -> ActionResult.success();
        shop.database()
                .sql("TRUNCATE saga_claim, padded, padded_split, padded_split_state, caseless, scaled")
                .update();
    }

    @ParameterizedTest
    @EnumSource
    void anEntityWithALiveClaimIsNotAnOrphan(Spelling spelling) {
        int number = spelling.insert();

        for (Object id : List.of(spelling.one(number), spelling.other(number))) {
            Claim claim = spelling.claim(id);

            assertThat(shop.bean(ClaimRecovery.class).adoptOrphans("spelled").values())
                    .as("orphans while '%s' is claimed", id)
                    .containsOnly(0);
            assertThat(claims().release(claim)).isEqualTo(ClaimEnd.DONE);
            assertThat(shop.claims()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void twoSpellingsOfAnIdShareOneClaim(Spelling spelling) {
        int number = spelling.insert();
        Claim first = spelling.claim(spelling.one(number));

        assertThat(claims().tryClaim(spelling.state(), spelling.other(number), "admin"))
                .isInstanceOf(ClaimAttempt.Refused.class);
        assertThat(shop.workflows().run(spelling.workflow(), spelling.other(number), "close", Shop.ADMIN))
                .isEqualTo(new TransitionOutcome.ClaimFailed("CLOSING"));
        assertThat(claims().release(first)).isEqualTo(ClaimEnd.DONE);

        Claim second = spelling.claim(spelling.other(number));
        assertThat(second.key()).isEqualTo(first.key());
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(claims().complete(second, "CLOSED")).isEqualTo(ClaimEnd.DONE);
        assertThat(shop.claims()).isZero();
    }

    /**
     * After a change of the status, the old claim's row still exists. The next claim takes over this row, and the
     * previous owner is fenced off.
     */
    @ParameterizedTest
    @EnumSource
    void aClaimInTheSecondSpellingTakesOverTheRowOfTheFirstClaim(Spelling spelling) {
        int number = spelling.insert();
        Claim first = spelling.claim(spelling.one(number));
        OwnThread.run(() -> shop.inTransaction(entities -> {
                    MappedTable table =
                            (MappedTable) shop.bean(DeclaredClaimStates.class).tableOf(spelling.state());
                    Object id = table.rowId(spelling.other(number));
                    new ManagedEntity(table, entities, id, entities.find(spelling.entity, id)).setStatus("OPEN");
                    return null;
                }))
                .join();

        spelling.claim(spelling.other(number));

        assertThat(shop.claims()).isOne();
        assertThat(claims().complete(first, "CLOSED")).isEqualTo(ClaimEnd.TAKEN);
        assertThat(spelling.status(number)).isEqualTo("CLOSING");
    }

    @ParameterizedTest
    @EnumSource
    void anEntityTakesAStepUnderEitherSpelling(Spelling spelling) {
        int first = spelling.insert();
        int second = spelling.insert();

        assertThat(shop.workflows().run(spelling.workflow(), spelling.one(first), "close", Shop.ADMIN))
                .isEqualTo(new TransitionOutcome.Completed("CLOSED", null));
        assertThat(shop.workflows().run(spelling.workflow(), spelling.other(second), "close", Shop.ADMIN))
                .isEqualTo(new TransitionOutcome.Completed("CLOSED", null));
        assertThat(shop.claims()).isZero();
        assertThat(List.of(spelling.status(first), spelling.status(second))).containsOnly("CLOSED");
    }

    /** When the call is repeated, the row that contained the spelling of the id is gone. */
    @ParameterizedTest
    @EnumSource
    void aRepeatedCallIsRecognizedInEitherSpellingAfterTheEntityIsRemoved(Spelling spelling) {
        AtomicInteger executions = new AtomicInteger();
        acting = (entity, context) -> {
            executions.incrementAndGet();
            shop.bean(EntityManager.class).remove(entity);
            return ActionResult.success();
        };
        for (Requester requester : List.of(Shop.ADMIN, Shop.SYSTEM)) {
            int number = spelling.insert();
            Object one = spelling.one(number);
            Object other = spelling.other(number);

            for (Object id : List.of(one, other, one)) {
                assertThat(shop.workflows().run(spelling.call(id, requester).effectKey("remove " + number)))
                        .isEqualTo(new TransitionOutcome.Completed("CLOSED", null));
            }

            Object another = spelling.one(spelling.insert());
            assertThatExceptionOfType(EffectKeyReusedException.class)
                    .isThrownBy(() -> shop.workflows()
                            .run(spelling.call(another, requester).effectKey("remove " + number)));
        }
        assertThat(executions).hasValue(2);
    }

    @ParameterizedTest
    @EnumSource
    void anEditOfTheEntityIsAConflictInEitherSpelling(Spelling spelling) {
        int number = spelling.insert();
        acting = (entity, context) -> {
            shop.database()
                    .sql("UPDATE %s SET version = version + 1".formatted(spelling.table()))
                    .update();
            return ActionResult.success();
        };

        assertThat(shop.workflows().run(spelling.workflow(), spelling.one(number), "close", Shop.ADMIN))
                .isEqualTo(new TransitionOutcome.Conflict());
        assertThat(shop.workflows().run(spelling.workflow(), spelling.other(number), "close", Shop.SYSTEM))
                .isEqualTo(new TransitionOutcome.Conflict());
    }

    @ParameterizedTest
    @EnumSource
    void theJanitorRevertsAClaimWithoutHeartbeats(Spelling spelling) {
        int number = spelling.insert();
        Claim lost = spelling.claim(spelling.other(number));
        shop.silence(Duration.ofMinutes(6));

        shop.sweep();

        assertThat(spelling.status(number)).isEqualTo("OPEN");
        assertThat(shop.claims()).isZero();
        assertThat(claims().release(lost)).isEqualTo(ClaimEnd.TAKEN);
    }

    @ParameterizedTest
    @EnumSource
    void aClaimIsFoundInTheLedgerUnderEitherSpelling(Spelling spelling) {
        int number = spelling.insert();
        Claim claim = spelling.claim(spelling.one(number));
        ClaimRecovery recoveries = shop.bean(ClaimRecovery.class);

        for (Object id : List.of(claim.key(), spelling.one(number), spelling.other(number))) {
            assertThat(recoveries.find(spelling.table(), id.toString()))
                    .as("the claim on '%s'", id)
                    .map(ClaimedRow::token)
                    .contains(claim.token());
        }
        assertThat(recoveries.find(spelling.table(), "no such id")).isEmpty();
    }

    /** Sixteen callers use two spellings, and each action searches for orphans. */
    @ParameterizedTest
    @EnumSource
    void callersThatUseTwoSpellingsOfAnIdActOneAtATime(Spelling spelling) throws Exception {
        int number = spelling.insert();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        acting = (entity, context) -> {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            OwnThread.run(() -> {
                        shop.bean(ClaimRecovery.class).adoptOrphans("spelled");
                        shop.sweep();
                    })
                    .join();
            inside.decrementAndGet();
            return ActionResult.failure("again");
        };
        CyclicBarrier barrier = new CyclicBarrier(16);
        List<Future<Integer>> callers = new ArrayList<>();
        for (int caller = 0; caller < 16; caller++) {
            Object id = caller % 2 == 0 ? spelling.one(number) : spelling.other(number);
            callers.add(threads.submit(() -> {
                barrier.await(20, SECONDS);
                int acted = 0;
                for (int turn = 0; turn < 10; turn++) {
                    TransitionOutcome outcome = shop.workflows().run(spelling.workflow(), id, "close", Shop.ADMIN);
                    assertThat(outcome)
                            .isInstanceOfAny(TransitionOutcome.Failed.class, TransitionOutcome.ClaimFailed.class);
                    acted += outcome instanceof TransitionOutcome.Failed ? 1 : 0;
                }
                return acted;
            }));
        }
        int acted = 0;
        for (Future<Integer> caller : callers) {
            acted += caller.get(60, SECONDS);
        }
        assertThat(acted).isPositive();
        assertThat(most).hasValue(1);
        assertThat(shop.claims()).isZero();
        assertThatCode(() -> spelling.claim(spelling.one(number))).doesNotThrowAnyException();
    }

    private static final ExecutorService threads = Executors.newCachedThreadPool();

    private static ClaimService claims() {
        return shop.bean(ClaimService.class);
    }
}
