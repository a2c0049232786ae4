package io.sagaspring.workflow;

import static io.sagaspring.shop.Shop.ADMIN;
import static io.sagaspring.shop.Shop.SYSTEM;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference.Parked;
import io.sagaspring.shop.LockWaits;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** If several callers act on the same version of an entity, one of them succeeds and the others get a conflict. */
class VersionTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(
            database,
            "saga.workflows.parcel.steps[2].step-id=30",
            "saga.workflows.parcel.steps[2].step-key=check",
            "saga.workflows.parcel.steps[2].status=PACKED",
            "saga.workflows.parcel.steps[2].successful-state.any=PACKED",
            "saga.workflows.parcel.steps[2].action.any=script");

    private final AtomicInteger executions = new AtomicInteger();
    private final long parcel = shop.pack();

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void changeNothing() {
        shop.script().action = (entity, context) -> {
            executions.incrementAndGet();
            return ActionResult.success();
        };
    }

    @AfterEach
    void letThrough() {
        shop.interference().none();
    }

    @Test
    void oneOfTwoOverlappingStepsThatChangeNothingGetsAConflict() {
        shop.script().action = (entity, context) -> {
            if (executions.getAndIncrement() == 0) {
                assertThat(OwnThread.call(this::check).get(20, SECONDS))
                        .isEqualTo(new TransitionOutcome.Completed("PACKED", null));
            }
            return ActionResult.success();
        };

        assertThat(check()).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(executions).hasValue(2);
        assertThat(shop.version(parcel)).isOne();
    }

    @Test
    void aSecondStepWaitsForTheFirstCommitAndGetsAConflict() throws Exception {
        Parked commit = shop.interference().park("COMMIT"::equals, false);
        CompletableFuture<TransitionOutcome> first = OwnThread.call(this::check);
        commit.awaitArrival();
        CompletableFuture<TransitionOutcome> second = OwnThread.call(this::check);
        await().atMost(20, SECONDS).until(VersionTests::aCallerWaitsForARow);
        commit.letGo();

        assertThat(first.get(20, SECONDS)).isEqualTo(new TransitionOutcome.Completed("PACKED", null));
        assertThat(second.get(20, SECONDS)).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(shop.version(parcel)).isOne();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEditBetweenTheClaimAndTheActionIsAConflictAndPreventsTheAction(boolean stated) throws Exception {
        TransitionRequest request = TransitionRequest.of("parcel", parcel, "send", ADMIN);
        Parked claimed = shop.interference().parkAfter("saga:claim.flip");
        CompletableFuture<TransitionOutcome> sending =
                OwnThread.call(() -> shop.workflows().run(stated ? request.ofVersion(0) : request));
        claimed.awaitArrival();
        edit();
        claimed.letGo();

        assertThat(sending.get(20, SECONDS)).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(executions).hasValue(0);
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.note(parcel)).isEqualTo("theirs");
        assertThat(shop.claims()).isZero();
    }

    @Test
    void aStepWithoutAClaimRunsOnlyOnTheVersionOfTheRequest() {
        TransitionRequest request = TransitionRequest.of("parcel", parcel, "send", SYSTEM);
        edit();

        assertThat(shop.workflows().run(request.ofVersion(0))).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(executions).hasValue(0);
        assertThat(shop.workflows().run(request.ofVersion(1))).isInstanceOf(TransitionOutcome.Completed.class);
    }

    private TransitionOutcome check() {
        return shop.workflows().run("parcel", parcel, "check", ADMIN);
    }

    private void edit() {
        shop.database()
                .sql("UPDATE parcel SET note = 'theirs', version = version + 1 WHERE id = ?")
                .param(parcel)
                .update();
    }

    private static boolean aCallerWaitsForARow() {
        return LockWaits.in(shop.database()) > 0;
    }
}
