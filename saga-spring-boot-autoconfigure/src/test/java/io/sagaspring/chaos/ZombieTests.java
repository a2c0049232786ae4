package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sagaspring.chaos.Inspection.Moved;
import io.sagaspring.chaos.Mover.Hooks;
import io.sagaspring.janitor.ClaimRecovered;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.TransitionOutcome.Completed;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests owners of claims that are frozen or hang for too long, and continue after another node has taken over. */
@Tag("chaos")
@ExtendWith(OutputCaptureExtension.class)
class ZombieTests {

    private static final Duration STUCK_AFTER = Duration.ofSeconds(2);
    private static final Duration HEARTBEAT = Duration.ofMillis(300);
    private static final Duration MAX_DURATION = Duration.ofSeconds(2);
    private static final String[] SETTINGS = {
        "saga.janitor.stuck-after=" + STUCK_AFTER.toMillis() + "ms",
        "saga.keeper.interval=" + HEARTBEAT.toMillis() + "ms"
    };

    private static final TestDatabase database = Depot.database();
    private static final JdbcClient client = JdbcClient.create(database.dataSource());
    private static final Journal journal = Journal.create();
    private static final Depot watcher = Depot.open(database, journal, "watcher", SETTINGS);

    private final long crate = pack();

    @AfterAll
    static void close() {
        watcher.close();
        database.close();
        journal.delete();
    }

    @AfterEach
    void resetHooks() {
        watcher.mover().hooks = new Hooks() {};
    }

    @ParameterizedTest
    @ValueSource(strings = {"alert", "deaf"})
    void aFrozenOwnerCommitsNothingAfterAnotherNodeHasCompletedTheStep(String ears) throws Exception {
        try (ForkedDepot zombie = ForkedDepot.start(database, journal, "zombie-" + ears, SETTINGS)) {
            zombie.ready().send("linger " + ears);
            zombie.send("run haul " + crate);
            zombie.await("INSIDE");
            zombie.freeze();
            await().atMost(20, SECONDS).until(() -> status().equals("HOME"));
            assertThat(watcher.run("haul", crate)).isInstanceOf(Completed.class);

            zombie.thaw();
            // An action that reacts to the interrupt needs no command.
            if (ears.equals("deaf")) {
                zombie.send("go");
            }

            assertThat(zombie.await("OUTCOME")).isEqualTo("ClaimLost");
            assertThat(moves()).hasSize(1);
            assertThat(new Inspection(database, journal).crate(crate))
                    .extracting(Inspection.State::status, Inspection.State::version)
                    // The crate was claimed and reverted, then claimed and moved.
                    .containsExactly("AWAY", 4L);
        }
    }

    @Test
    void anOwnerFrozenBeforeItsCommitIsReportedAndCanStillCommit(CapturedOutput output) throws Exception {
        try (ForkedDepot zombie = fencedZombie("zombie-reported")) {
            int before = watcher.blocked();
            zombie.freeze();
            await().atMost(20, SECONDS).until(() -> watcher.blocked() > before);
            await().atMost(20, SECONDS)
                    .until(() -> output.getOut()
                            .lines()
                            .anyMatch(line -> line.contains("crate %d is stuck in HAULED".formatted(crate))
                                    && line.contains("held by [backend ")));
            assertThat(status()).isEqualTo("HAULED");

            zombie.thaw();
            zombie.send("go");

            assertThat(zombie.await("OUTCOME")).isEqualTo("Completed");
            assertThat(status()).isEqualTo("AWAY");
        }
    }

    @Test
    void theTransactionOfAnOwnerFrozenBeforeItsCommitIsTerminatedIfConfigured() throws Exception {
        try (Depot terminator =
                        Depot.open(database, journal, "terminator", and("saga.janitor.terminate-blockers=true"));
                ForkedDepot zombie = fencedZombie("zombie-ended")) {
            zombie.freeze();
            awaitRecovery(terminator, watcher);
            assertThat(status()).isEqualTo("HOME");

            zombie.thaw();
            zombie.send("go");

            assertThat(zombie.await("OUTCOME")).isEqualTo("ClaimLost");
            assertThat(moves()).isEmpty();
            assertThat(status()).isEqualTo("HOME");
        }
    }

    @Test
    void theClaimOfAnActionThatOutlastsStuckAfterIsNotReverted() {
        watcher.mover().hooks = new Hooks() {
            @Override
            public ActionResult written(Crate crate, ActionContext context) throws Exception {
                boolean unused = new CountDownLatch(1).await(STUCK_AFTER.toMillis() * 3, MILLISECONDS);
                return Hooks.super.written(crate, context);
            }
        };

        assertThat(watcher.run("haul", crate)).isInstanceOf(Completed.class);
        assertThat(recovery(watcher)).isEmpty();
    }

    @Test
    void aHungActionLosesItsClaimAfterMaxDurationAndCommitsNothing() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (Depot hasty = hasty()) {
            hasty.mover().hooks = new Hooks() {
                @Override
                public ActionResult written(Crate crate, ActionContext context) throws Exception {
                    DepotProcess.awaitUninterruptibly(go);
                    return Hooks.super.written(crate, context);
                }
            };
            CompletableFuture<TransitionOutcome> hung = OwnThread.call(() -> hasty.run("haul", crate));
            await().atMost(20, SECONDS).until(() -> status().equals("HAULED"));
            await().atMost(20, SECONDS).until(() -> status().equals("HOME"));
            go.countDown();

            assertThat(hung.get(20, SECONDS)).isEqualTo(new TransitionOutcome.ClaimLost());
            assertThat(moves()).isEmpty();
            assertThat(awaitRecovery(watcher, hasty).age())
                    .isBetween(
                            MAX_DURATION.plus(STUCK_AFTER).minus(HEARTBEAT),
                            MAX_DURATION.plus(STUCK_AFTER).plusSeconds(5));
        } finally {
            go.countDown();
        }
    }

    @Test
    void anInterruptedActionEndsAndLeavesItsThreadUninterrupted() {
        AtomicBoolean wasInterrupted = new AtomicBoolean();
        try (Depot hasty = hasty()) {
            hasty.mover().hooks = new Hooks() {
                @Override
                public ActionResult written(Crate crate, ActionContext context) throws Exception {
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException interrupted) {
                        wasInterrupted.set(true);
                        // Code that turns the interrupt into another exception should set the flag again.
                        Thread.currentThread().interrupt();
                        throw new CancellationException("The cart was called back.");
                    }
                    return Hooks.super.written(crate, context);
                }
            };
            long begun = System.nanoTime();

            assertThatThrownBy(() -> hasty.run("haul", crate)).isInstanceOf(CancellationException.class);

            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThat(wasInterrupted).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isBetween(MAX_DURATION, MAX_DURATION.plusSeconds(5));
            assertThat(status()).isEqualTo("HOME");
            assertThat(moves()).isEmpty();
            assertThat(client.sql("SELECT count(*) FROM saga_claim WHERE entity_id = ?")
                            .param(Long.toString(crate))
                            .query(Integer.class)
                            .single())
                    .isZero();
        }
    }

    private ForkedDepot fencedZombie(String name) throws InterruptedException {
        ForkedDepot zombie = ForkedDepot.start(database, journal, name, SETTINGS);
        zombie.ready().send("hold-fence");
        zombie.send("run haul " + crate);
        zombie.await("FENCED");
        return zombie;
    }

    /** Opens a node with a short maximum duration, and lets it run a step, because the first step of a node is slow. */
    private static Depot hasty() {
        Depot hasty = Depot.open(
                database,
                journal,
                "hasty",
                new Around() {},
                and("saga.claims.max-duration=" + MAX_DURATION.toMillis() + "ms"));
        await().atMost(20, SECONDS).ignoreExceptions().until(() -> hasty.run("haul", pack()) instanceof Completed);
        return hasty;
    }

    private static String[] and(String setting) {
        return Stream.concat(Stream.of(SETTINGS), Stream.of(setting)).toArray(String[]::new);
    }

    /** Waits for the event, because it is published after the commit and a test may see the reverted row earlier. */
    private ClaimRecovered awaitRecovery(Depot... depots) {
        return await().atMost(20, SECONDS)
                .until(
                        () -> Stream.of(depots)
                                .flatMap(depot -> recovery(depot).stream())
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    private Optional<ClaimRecovered> recovery(Depot depot) {
        return depot.recovered().stream()
                .filter(each -> each.id().equals(Long.toString(crate)))
                .findFirst();
    }

    private static long pack() {
        return client.sql("INSERT INTO crate (status, note, version) VALUES ('HOME', '', 0) RETURNING id")
                .query(Long.class)
                .single();
    }

    private String status() {
        return new Inspection(database, journal).crate(crate).status();
    }

    private List<Moved> moves() {
        return new Inspection(database, journal).moves(crate);
    }
}
