package io.sagaspring.workflow;

import static io.sagaspring.shop.Shop.ADMIN;
import static io.sagaspring.shop.Shop.SYSTEM;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sagaspring.definition.Requester;
import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.Retry;
import io.sagaspring.run.RunState;
import io.sagaspring.saga.ExecutionView;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.SagaResult;
import io.sagaspring.saga.Sagas;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.shop.Interference.Parked;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.shop.Statements;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.GenericApplicationContext;

/** A call with an effect key can be repeated. Its step takes effect once, and each call gets the first outcome. */
class EffectKeyTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(
            database,
            application -> application.initializers(context -> {
                GenericApplicationContext beans = (GenericApplicationContext) context;
                beans.registerBean(Posting.class);
                beans.registerBean(Finished.class);
            }),
            "saga.janitor.stuck-after=5m",
            "saga.runs.poll-interval=50ms");

    private final AtomicInteger executions = new AtomicInteger();
    private final long parcel = shop.pack();
    private final String key = UUID.randomUUID() + ":post";

    /** The result of the action. */
    record Receipt(String number, long cents) {}

    static final class Finished {

        private final List<String> outcomes = Collections.synchronizedList(new ArrayList<>());

        @EventListener
        void finished(TransitionFinished event) {
            outcomes.add(event.outcome().name());
        }
    }

    /**
     * Calls a step of a workflow. The first attempt fails after the commit of this step, before the saga's own step is
     * journaled.
     */
    static final class Posting implements Saga<Long> {

        private final Workflows workflows;

        Posting(Workflows workflows) {
            this.workflows = workflows;
        }

        @Override
        public void define(SagaDefinition<Long> saga) {
            saga.step("post", context -> {
                        TransitionRequest request = TransitionRequest.of("parcel", context.input(), "send", ADMIN)
                                .effectKey(context.effectKey());
                        String status = workflows.run(request).orElseThrow().status();
                        if (context.attempt() == 1) {
                            throw new IllegalStateException("The node died behind the commit.");
                        }
                        return Map.of("status", status);
                    })
                    .retry(Retry.retry().max(3).delay(Duration.ofMillis(10)));
        }
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void count() {
        shop.script().action = (entity, context) -> {
            executions.incrementAndGet();
            entity.note("sent by " + context.requester());
            return ActionResult.success();
        };
    }

    @AfterEach
    void letThrough() {
        shop.interference().none();
    }

    @Test
    void aRepeatedCallGetsTheFirstOutcomeAndRunsNothing() {
        TransitionRequest request = send().effectKey(key);

        TransitionOutcome first = run(request);
        long version = shop.version(parcel);
        shop.bean(Finished.class).outcomes.clear();

        assertThat(first).isEqualTo(new TransitionOutcome.Completed("SENT", null));
        assertThat(run(request)).isEqualTo(first);
        assertThat(run(request.ofVersion(0))).isEqualTo(first);
        assertThat(executions).hasValue(1);
        assertThat(shop.version(parcel)).isEqualTo(version);
        assertThat(shop.bean(Finished.class).outcomes).isEmpty();
        assertThat(run(send())).isInstanceOf(TransitionOutcome.NotApplicable.class);
        assertThat(run(send().effectKey(key + ":other"))).isInstanceOf(TransitionOutcome.NotApplicable.class);
    }

    @Test
    void aSagaContinuesIfItsStepIsRetriedAfterTheWorkflowStepHasCommitted() throws Exception {
        Sagas sagas = shop.bean(Sagas.class);

        SagaResult result = sagas.await(sagas.start(Posting.class, parcel).id(), Duration.ofSeconds(30));
        ExecutionView view = sagas.find(result.id()).orElseThrow();

        assertThat(view.state()).isEqualTo(RunState.COMPLETED);
        assertThat(view.step("post").orElseThrow().attempt()).isEqualTo(2);
        assertThat(executions).hasValue(1);
    }

    @Test
    void aRepeatedCallRunsNothingAlthoughTheEntityIsBackInItsFirstStatus() {
        TransitionRequest request = send().effectKey(key);
        run(request);
        pack();
        long version = shop.version(parcel);

        assertThat(run(request)).isEqualTo(new TransitionOutcome.Completed("SENT", null));
        assertThat(executions).hasValue(1);
        assertThat(shop.version(parcel)).isEqualTo(version);
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    @Test
    void theResultIsReplayedToCallersThatNameItsType() {
        shop.script().action = (entity, context) -> ActionResult.success(new Receipt("R-1", 4200));
        TransitionRequest request = send().effectKey(key, Receipt.class);

        TransitionOutcome first = run(request);

        assertThat(first).isEqualTo(new TransitionOutcome.Completed("SENT", new Receipt("R-1", 4200)));
        assertThat(run(request)).isEqualTo(first);
        assertThat(run(send().effectKey(key))).isEqualTo(new TransitionOutcome.Completed("SENT", null));
    }

    @Test
    void theFirstCallGetsNoResultIfItNamesNoResultType() {
        shop.script().action = (entity, context) -> ActionResult.success(new Object());

        assertThat(run(send().effectKey(key))).isEqualTo(new TransitionOutcome.Completed("SENT", null));
    }

    @Test
    void aStepWhoseResultCannotBeReadBackIsRolledBack() {
        shop.script().action = (entity, context) -> ActionResult.success("no receipt");

        assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> run(send().effectKey(key, Receipt.class)));

        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.claims()).isZero();
        assertThat(keys()).isZero();
    }

    @Test
    void aKeyOfAnotherEntityStepOrRequesterIsRefusedAndNothingRuns() {
        run(send().effectKey(key));
        long other = shop.pack();

        for (TransitionRequest request : List.of(
                TransitionRequest.of("parcel", other, "send", ADMIN),
                TransitionRequest.of("parcel", parcel, "lose", ADMIN),
                TransitionRequest.of("parcel", parcel, "send", SYSTEM))) {
            assertThatExceptionOfType(EffectKeyReusedException.class)
                    .isThrownBy(() -> run(request.effectKey(key)))
                    .withMessageContaining(
                            "step 'send' of workflow 'parcel' on entity %s for admin has already taken effect", parcel);
        }
        assertThat(executions).hasValue(1);
        assertThat(shop.status(other)).isEqualTo("PACKED");
    }

    @Test
    void beforeTheCommitAConcurrentCallWithTheSameKeyGetsClaimFailed() throws Exception {
        TransitionRequest request = send().effectKey(key);
        Parked commit = shop.interference().park("COMMIT"::equals, false);
        CompletableFuture<TransitionOutcome> first = OwnThread.call(() -> run(request));
        commit.awaitArrival();

        assertThat(run(request)).isEqualTo(new TransitionOutcome.ClaimFailed("SENDING"));
        commit.letGo();
        assertThat(first.get(20, SECONDS)).isEqualTo(new TransitionOutcome.Completed("SENT", null));
        assertThat(run(request)).isEqualTo(new TransitionOutcome.Completed("SENT", null));
        assertThat(executions).hasValue(1);
    }

    @Test
    void twoUnclaimedCallsWithTheSameKeySucceedAndOnlyOneCommits() throws Exception {
        CyclicBarrier inside = new CyclicBarrier(2);
        shop.script().action = (entity, context) -> {
            inside.await(20, SECONDS);
            entity.note("sent");
            return ActionResult.success();
        };
        TransitionRequest request =
                TransitionRequest.of("parcel", parcel, "send", SYSTEM).effectKey(key);

        CompletableFuture<TransitionOutcome> first = OwnThread.call(() -> run(request));
        CompletableFuture<TransitionOutcome> second = OwnThread.call(() -> run(request));

        assertThat(first.get(20, SECONDS)).isEqualTo(new TransitionOutcome.Completed("SENT", null));
        assertThat(second.get(20, SECONDS)).isEqualTo(new TransitionOutcome.Completed("SENT", null));
        assertThat(shop.version(parcel)).isOne();
        assertThat(keys()).isOne();
    }

    @ParameterizedTest
    @ValueSource(strings = {"admin", "system"})
    void aCallThatLookedUpTheKeyBeforeTheFirstCommitCommitsNothing(String requester) throws Exception {
        TransitionRequest request = TransitionRequest.of("parcel", parcel, "send", Requester.of(requester))
                .effectKey(key);
        Parked looked = shop.interference().park(Statements.named("effect.find"), true);
        CompletableFuture<TransitionOutcome> late = OwnThread.call(() -> run(request));
        looked.awaitArrival();
        assertThat(run(request)).isEqualTo(new TransitionOutcome.Completed("SENT", null));
        pack();
        shop.database()
                .sql("UPDATE parcel SET note = 'again' WHERE id = ?")
                .param(parcel)
                .update();
        looked.letGo();

        assertThat(late.get(20, SECONDS)).isEqualTo(new TransitionOutcome.Completed("SENT", null));
        assertThat(executions).hasValue(2);
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.note(parcel)).isEqualTo("again");
        assertThat(shop.claims()).isZero();
    }

    @Test
    void aKeyIsNotStoredIfTheFlipIsRolledBack() {
        shop.interference().with(new Around() {
            @Override
            public void before(String sql, Connection connection) throws SQLException {
                if (Statements.isNamed(sql, "claim.remove")) {
                    // Simulate a revert of the claim and a new claim by another caller.
                    shop.database()
                            .sql("UPDATE saga_claim SET token = token + 1")
                            .update();
                }
            }
        });
        TransitionRequest request = send().effectKey(key);

        assertThat(run(request)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(keys()).isZero();

        shop.interference().none();
        shop.silence(Duration.ofHours(1));
        shop.sweep();
        assertThat(run(request)).isEqualTo(new TransitionOutcome.Completed("SENT", null));
        assertThat(keys()).isOne();
    }

    @Test
    void anExpiredKeyCanBeUsedAgainEvenBeforeItIsPurged() {
        TransitionRequest request = send().effectKey(key);
        run(request);
        expire();

        assertThat(run(request)).isInstanceOf(TransitionOutcome.NotApplicable.class);
        pack();
        assertThat(run(request)).isEqualTo(new TransitionOutcome.Completed("SENT", null));
        assertThat(run(request)).isEqualTo(new TransitionOutcome.Completed("SENT", null));
        assertThat(executions).hasValue(2);
    }

    @Test
    void onlyExpiredKeysArePurged() {
        run(send().effectKey(key));
        EffectKeys effects = shop.bean(EffectKeys.class);

        assertThat(effects.purge(10)).isZero();
        expire();
        assertThat(effects.purge(10)).isOne();
        assertThat(keys()).isZero();
    }

    @Test
    void aKeyExpiresThirtyDaysAfterItsCallTookEffect() {
        run(send().effectKey(key));

        assertThat(shop.database()
                        .sql("SELECT extract(day FROM expires_at - done_at) FROM saga_effect_key WHERE effect_key = ?")
                        .param(key)
                        .query(Integer.class)
                        .single())
                .isEqualTo(30);
    }

    @Test
    void aCallWithoutAKeyExecutesNoStatementsForEffectKeys() {
        List<String> statements = Collections.synchronizedList(new ArrayList<>());
        shop.interference().with(new Around() {
            @Override
            public void before(String sql, Connection connection) {
                if (Statements.isOf(sql, "effect")) {
                    statements.add(sql);
                }
            }
        });

        run(send());
        run(send());

        assertThat(statements).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\nb", "\ud800"})
    void aKeyThatCannotBeStoredIsRefused(String wrong) {
        assertThatIllegalArgumentException().isThrownBy(() -> send().effectKey(wrong));
        assertThatIllegalArgumentException().isThrownBy(() -> send().effectKey("k".repeat(EffectKey.LONGEST + 1)));
        assertThat(run(send().effectKey("\u00e9".repeat(EffectKey.LONGEST))))
                .isInstanceOf(TransitionOutcome.Completed.class);
        shop.database().sql("DELETE FROM saga_effect_key").update();
    }

    private TransitionRequest send() {
        return TransitionRequest.of("parcel", parcel, "send", ADMIN);
    }

    private static TransitionOutcome run(TransitionRequest request) {
        return shop.workflows().run(request);
    }

    private void pack() {
        shop.database()
                .sql("UPDATE parcel SET status = 'PACKED', version = version + 1 WHERE id = ?")
                .param(parcel)
                .update();
    }

    private void expire() {
        shop.database()
                .sql("UPDATE saga_effect_key SET expires_at = clock_timestamp() WHERE effect_key = ?")
                .param(key)
                .update();
    }

    private int keys() {
        return shop.database()
                .sql("SELECT count(*) FROM saga_effect_key WHERE effect_key = ?")
                .param(key)
                .query(Integer.class)
                .single();
    }
}
