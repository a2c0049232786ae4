package io.sagaspring.entity;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.entity.supported.MapCache;
import io.sagaspring.entity.supported.SupportedHierarchies;
import io.sagaspring.shop.Shop;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.UnknownException;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An entity of every supported mapping takes steps, and each race for it has one winner. The janitor reverts a claim
 * that has no heartbeats. It also adopts and reverts an orphan.
 */
class SupportedMappingTests extends MappedShop implements ClaimContract {

    static Stream<Mapping> kinds() {
        return Stream.of(Mapping.values());
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "JOINED_STATUS_IN_ROOT",
                "JOINED_STATUS_IN_SUBCLASS",
                "JOINED_STATUS_IN_MIDDLE_CLASS",
                "TABLE_PER_CLASS"
            })
    void anEntityOfASiblingClassCannotBeClaimed(Mapping mapping) {
        Object key = switch (mapping) {
            case JOINED_STATUS_IN_ROOT -> mapping.save(SupportedHierarchies.Receipt.class);
            case JOINED_STATUS_IN_SUBCLASS -> mapping.save(SupportedHierarchies.Boat.class);
            case JOINED_STATUS_IN_MIDDLE_CLASS -> mapping.save(SupportedHierarchies.Car.class);
            default -> mapping.save(SupportedHierarchies.Square.class);
        };

        assertThat(mapping.claim(key)).isInstanceOf(ClaimAttempt.NoSuchEntity.class);
        assertThatExceptionOfType(UnknownException.Entity.class).isThrownBy(() -> mapping.close(key));
        assertThat(claimsOf(mapping, key)).isZero();
    }

    @Test
    void anEntityOfASubclassIsClaimedThroughTheRootOfItsTable() {
        Object key = Mapping.SINGLE_TABLE.save(SupportedHierarchies.Dog.class);

        assertThat(Mapping.SINGLE_TABLE.close(key)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(Mapping.SINGLE_TABLE.read(key)).isEqualTo(new EntityRow("CLOSED", 2));
    }

    /** Another node has written the row, and the cache of this node still has the old version. */
    @Test
    void aStepDoesNotActOnAStaleCachedEntity() {
        Object key = Mapping.CACHED.save();
        assertThat(Mapping.CACHED.read(key)).isEqualTo(new EntityRow("OPEN", 0));
        shop.database()
                .sql("UPDATE remembered SET version = 7 WHERE id = ?")
                .param(key)
                .update();
        assertThat(Mapping.CACHED.read(key)).as("as the cache has it").isEqualTo(new EntityRow("OPEN", 0));

        assertThat(Mapping.CACHED.close(key)).isInstanceOf(TransitionOutcome.Completed.class);

        assertThat(Mapping.CACHED.read(key)).isEqualTo(new EntityRow("CLOSED", 9));
    }

    /**
     * A claim evicts the entity from the cache. A transition without a claim does not evict the entity, so it must not
     * trust the cache.
     */
    @Test
    void aTransitionWithoutAClaimDoesNotActOnAStaleCachedEntity() {
        Object key = Mapping.CACHED.save();
        makeCacheStale(key);

        assertThat(shop.workflows().run("remembered", key, "close", Shop.SYSTEM))
                .isInstanceOf(TransitionOutcome.Completed.class);

        assertThat(Mapping.CACHED.read(key)).isEqualTo(new EntityRow("CLOSED", 8));
    }

    @Test
    void anAfterEffectDoesNotGetAStaleCachedEntity() throws Exception {
        Object key = Mapping.CACHED.save();
        CompletableFuture<Long> followed = new CompletableFuture<>();
        following = (entity, context) -> {
            // An after-effect of an earlier test may still be delivered.
            if (!context.key().startsWith("remembered:%s:".formatted(key))) {
                return;
            }
            if (context.attempt() == 1) {
                makeCacheStale(key);
                throw new IllegalStateException("offline");
            }
            followed.complete(((Number) Mapping.CACHED.table().persister().getVersion(entity)).longValue());
        };

        assertThat(Mapping.CACHED.close(key)).isInstanceOf(TransitionOutcome.Completed.class);

        assertThat(followed.get(20, SECONDS)).isEqualTo(7);
    }

    /** The writes are committed, whatever happens to the cache. */
    @Test
    void aStepAReleaseAndASweepSucceedEvenIfTheCacheIsUnreachable() {
        Object key = Mapping.CACHED.save();
        MapCache.outOfReach(true);
        try {
            assertThat(Mapping.CACHED.close(key)).isEqualTo(new TransitionOutcome.Completed("CLOSED", null));
            Object other = Mapping.CACHED.save();
            assertThat(shop.bean(ClaimService.class).release(granted(Mapping.CACHED.claim(other))))
                    .isEqualTo(ClaimEnd.DONE);
            granted(Mapping.CACHED.claim(other));
            shop.silence(Duration.ofMinutes(6));
            shop.sweep();
            assertThat(claimsOf(Mapping.CACHED, other)).isZero();
        } finally {
            MapCache.outOfReach(false);
        }
    }

    private static void makeCacheStale(Object key) {
        EntityRow remembered = Mapping.CACHED.read(key);
        shop.database()
                .sql("UPDATE remembered SET version = 7 WHERE id = ?")
                .param(key)
                .update();
        assertThat(Mapping.CACHED.read(key)).as("as the cache has it").isEqualTo(remembered);
    }

    /**
     * A second caller would win, too, if an update of several tables did not check its predicate again after a wait.
     */
    @ParameterizedTest
    @EnumSource(names = {"LONG", "JOINED_STATUS_IN_ROOT", "JOINED_STATUS_IN_SUBCLASS", "SECONDARY_TABLE"})
    void twoHundredRacesHaveOneWinnerEach(Mapping mapping) throws Exception {
        Object key = mapping.save();
        CyclicBarrier barrier = new CyclicBarrier(4);
        for (int race = 0; race < 200; race++) {
            List<Future<ClaimAttempt>> callers = new ArrayList<>();
            for (int caller = 0; caller < 4; caller++) {
                callers.add(threads.submit(() -> {
                    barrier.await(20, SECONDS);
                    return mapping.claim(key);
                }));
            }
            List<Claim> winners = new ArrayList<>();
            for (Future<ClaimAttempt> caller : callers) {
                if (caller.get(20, SECONDS) instanceof ClaimAttempt.Granted granted) {
                    winners.add(granted.claim());
                }
            }
            assertThat(winners).as("winners of race %d", race).hasSize(1);
            assertThat(shop.bean(ClaimService.class).release(winners.get(0))).isEqualTo(ClaimEnd.DONE);
        }
        assertThat(mapping.read(key)).isEqualTo(new EntityRow("OPEN", 400));
    }

    /** A janitor does not wait, no matter which of the tables a frozen transaction has locked. */
    @ParameterizedTest
    @EnumSource(names = {"JOINED_STATUS_IN_SUBCLASS", "SECONDARY_TABLE"})
    void aSweepDoesNotWaitForALockedStatusTable(Mapping mapping) throws Exception {
        Object key = mapping.save();
        granted(mapping.claim(key));
        shop.silence(Duration.ofMinutes(6));
        String table = mapping == Mapping.SECONDARY_TABLE ? "split_state" : "car";
        try (Connection frozen = database.dataSource().getConnection();
                Statement statement = frozen.createStatement()) {
            frozen.setAutoCommit(false);
            statement.execute("SELECT 1 FROM %s FOR UPDATE".formatted(table));

            CompletableFuture.runAsync(shop::sweep, threads).get(60, SECONDS);
            assertThat(mapping.read(key).status()).isEqualTo("CLOSING");
            frozen.rollback();
        }
        shop.sweep();
        assertThat(mapping.read(key).status()).isEqualTo("OPEN");
    }
}
