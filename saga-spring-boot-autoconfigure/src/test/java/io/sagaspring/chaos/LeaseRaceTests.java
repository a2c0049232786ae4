package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Keeper;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.lease.LeaseStore;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Scale;
import io.sagaspring.test.database.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Lets twelve racers compete for one lease, hundreds of times. The clocks of a third of the processes are ten minutes
 * slow, and those of another third are ten minutes fast.
 */
@Tag("chaos")
class LeaseRaceTests {

    private static final int RACERS = 12;
    private static final long ROUNDS = Scale.times(250);
    private static final long SEED = Long.getLong("chaos.seed", 20_261_121);
    private static final Duration OFF = Duration.ofMinutes(10);
    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private final String name = "race/" + UUID.randomUUID();

    private final Path directory;

    LeaseRaceTests(@TempDir Path directory) {
        this.directory = directory;
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgres", "redis"})
    void onlyOneProcessHoldsTheLeaseWhateverTheClocksShow(String store) throws Exception {
        List<ForkedProcess> racers = new ArrayList<>();
        try {
            for (int racer = 0; racer < RACERS; racer++) {
                racers.add(start(store, "racer-" + racer, offset(racer)));
            }
            for (int racer = 0; racer < RACERS; racer++) {
                Duration shown = Duration.ofMillis(
                        Long.parseLong(racers.get(racer).await("READY")) - System.currentTimeMillis());
                assertThat(shown)
                        .isBetween(offset(racer).minusMinutes(2), offset(racer).plusSeconds(1));
            }
            for (int racer = 0; racer < RACERS; racer++) {
                racers.get(racer).send("race %s %d %d".formatted(name, ROUNDS, SEED + racer));
            }
            for (ForkedProcess racer : racers) {
                racer.await("RACED");
            }
        } finally {
            racers.forEach(ForkedProcess::close);
        }

        requireOneAtATime();
    }

    @Test
    void onlyOneThreadHoldsTheLeaseAtATime() throws Exception {
        LeaseStore store = LeaseStore.inMemory(ElapsedClock.OF_THIS_MACHINE, Duration.ofDays(1));
        try (TestDatabase unused = TestDatabase.create();
                Keeper keeper = new Keeper(unused.dataSource(), Duration.ofSeconds(10), ElapsedClock.OF_THIS_MACHINE)) {
            keeper.start();
            LeaseManager leases = new LeaseManager(store, keeper, "node", Duration.ofSeconds(30), List.of());
            List<CompletableFuture<Void>> racing = new ArrayList<>();
            for (int racer = 0; racer < RACERS; racer++) {
                LeaseRacer each = new LeaseRacer(store, leases, "racer-" + racer, new LeaseHistory(directory));
                long seed = SEED + racer;
                racing.add(OwnThread.run(() -> each.race(new LeaseName(name), ROUNDS, seed)));
            }
            for (CompletableFuture<Void> each : racing) {
                each.get(2, MINUTES);
            }
        }

        requireOneAtATime();
    }

    private void requireOneAtATime() {
        LeaseHistory history = new LeaseHistory(directory);
        assertThat(history.counted()).isEqualTo(ROUNDS);
        assertThat(history.tokens()).hasSize((int) ROUNDS).isSorted().doesNotHaveDuplicates();
        assertThat(history.nodes()).hasSizeGreaterThan(1);
    }

    private ForkedProcess start(String store, String node, Duration offset) {
        return LeaseHolders.start(store, node, directory, Duration.ofSeconds(30), database, SkewedClocks.by(offset));
    }

    private static Duration offset(int racer) {
        return OFF.multipliedBy(racer % 3 - 1);
    }
}
