package io.sagaspring.entity;

import static io.sagaspring.entity.ClaimedShop.assertRow;
import static io.sagaspring.entity.ClaimedShop.claimsOf;
import static io.sagaspring.entity.ClaimedShop.database;
import static io.sagaspring.entity.ClaimedShop.executions;
import static io.sagaspring.entity.ClaimedShop.granted;
import static io.sagaspring.entity.ClaimedShop.shop;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.shop.LockWaits;
import io.sagaspring.workflow.TransitionOutcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The contract of each kind of entity: an entity takes steps, and each race for it has one winner. The janitor reverts a
 * claim that has no heartbeats. It also adopts and reverts an orphan. The test class names the kinds in a static method.
 */
interface ClaimContract {

    ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    });

    @Clause.Shown(Clause.STEP)
    @ParameterizedTest
    @MethodSource("kinds")
    default void anEntityOfEachKindTakesAStep(Claimed kind) {
        Object key = kind.save();
        EntityRow before = kind.read(key);

        assertThat(kind.close(key))
                .isEqualTo(new TransitionOutcome.Completed(kind.states().get(2), null));
        assertRow(kind, key, before, kind.states().get(2), 2);
        assertThat(claimsOf(kind, key)).isZero();
    }

    @Clause.Shown(Clause.RACE)
    @ParameterizedTest
    @MethodSource("kinds")
    default void exactlyOneOfTheWaitingCallersCompletesTheStep(Claimed kind) throws Exception {
        Object key = kind.save();
        EntityRow before = kind.read(key);
        List<CompletableFuture<TransitionOutcome>> callers;
        try (Connection locking = database.dataSource().getConnection();
                Statement statement = locking.createStatement()) {
            locking.setAutoCommit(false);
            statement.execute(
                    "SELECT 1 FROM %s FOR UPDATE".formatted(kind.table().name()));
            callers = IntStream.range(0, 4)
                    .mapToObj(caller -> CompletableFuture.supplyAsync(() -> kind.close(key), threads))
                    .toList();
            awaitWaiting(4);
            locking.rollback();
        }

        List<TransitionOutcome> outcomes = new ArrayList<>();
        for (CompletableFuture<TransitionOutcome> caller : callers) {
            outcomes.add(caller.get(20, SECONDS));
        }
        assertThat(outcomes)
                .filteredOn(TransitionOutcome.Completed.class::isInstance)
                .hasSize(1);
        assertThat(executions).hasValue(1);
        assertRow(kind, key, before, kind.states().get(2), 2);
    }

    @Clause.Shown(Clause.SWEEP)
    @ParameterizedTest
    @MethodSource("kinds")
    default void theJanitorRevertsAClaimWithoutHeartbeats(Claimed kind) {
        Object key = kind.save();
        EntityRow before = kind.read(key);
        Claim lost = granted(kind.claim(key));
        assertRow(kind, key, before, kind.states().get(1), 1);

        shop.silence(Duration.ofMinutes(6));
        shop.sweep();

        assertRow(kind, key, before, kind.states().get(0), 2);
        assertThat(claimsOf(kind, key)).isZero();
        assertThat(shop.bean(ClaimService.class).release(lost)).isEqualTo(ClaimEnd.TAKEN);
        assertThat(granted(kind.claim(key)).token()).isGreaterThan(lost.token());
    }

    @Clause.Shown(Clause.ORPHAN)
    @ParameterizedTest
    @MethodSource("kinds")
    default void anOrphanIsAdoptedAndReverted(Claimed kind) {
        Object key = kind.save();
        EntityRow before = kind.read(key);
        kind.writeStatus(key, kind.states().get(1));

        shop.bean(ClaimRecovery.class).adoptOrphans("mapped");
        shop.bean(ClaimRecovery.class).adoptOrphans("mapped");

        assertThat(claimsOf(kind, key)).isOne();
        shop.silence(Duration.ofMinutes(6));
        shop.sweep();
        assertRow(kind, key, before, kind.states().get(0), 2);
    }

    private static void awaitWaiting(int expected) throws SQLException {
        long giveUp = System.nanoTime() + SECONDS.toNanos(20);
        while (LockWaits.in(shop.database()) < expected) {
            assertThat(System.nanoTime())
                    .as("time until %d callers wait", expected)
                    .isLessThan(giveUp);
        }
    }
}
