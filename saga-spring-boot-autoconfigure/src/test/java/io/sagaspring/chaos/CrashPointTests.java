package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.chaos.CrashPoint.Activity;
import io.sagaspring.chaos.CrashPoint.End;
import io.sagaspring.chaos.Inspection.State;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.TransitionOutcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * After a node has died at a named point, another node brings the entity (a {@link Crate}) to its expected status
 * within the promised time.
 */
@Tag("chaos")
class CrashPointTests {

    /** The promised time: stuck-after plus one janitor interval, or the lease plus one poll interval. */
    private static final Duration PROMISED = Duration.ofMillis(1_000 + 200);

    private static final Duration SLACK = Duration.ofSeconds(3);

    private static final TestDatabase database = Depot.database();
    private static final JdbcClient client = JdbcClient.create(database.dataSource());
    private static final Gate gate = new Gate(new Around() {});
    private static final Deque<ForkedDepot> started = new ArrayDeque<>();

    private static final Journal journal = Journal.create();
    private static final Depot other = Depot.open(database, journal, "other", gate);
    private static int nodes;

    @BeforeAll
    static void startFirst() {
        startNext();
    }

    @AfterAll
    static void close() {
        for (ForkedDepot each : started) {
            each.close();
        }
        gate.open();
        other.close();
        database.close();
        journal.delete();
    }

    /** Starts the next victim while the current victim dies. A victim does nothing before its first command. */
    private static void startNext() {
        started.add(ForkedDepot.start(
                database,
                journal,
                "victim-" + nodes++,
                // Without this setting, the test could not intercept the keeper's statements.
                "saga.keeper.own-connection=false",
                // The first step may be slow. The node must not be interrupted before it dies at its point.
                "saga.janitor.stuck-after=30s",
                "saga.keeper.interval=300ms"));
    }

    @ParameterizedTest
    @EnumSource
    void theOtherNodeBringsTheCrateToItsExpectedStatus(CrashPoint point) throws Exception {
        gate.shut();
        ForkedDepot victim = started.remove().ready();
        startNext();
        long crate = pack();
        if (point.activity() == Activity.SWEEP) {
            leaveStuck(crate);
        }

        victim.send("crash %s %d".formatted(point, crate));
        assertThat(victim.awaitEnd()).isEqualTo(137);
        victim.close();
        long died = System.nanoTime();
        gate.open();
        awaitQuiet();
        Duration took = Duration.ofNanos(System.nanoTime() - died);

        System.out.printf(Locale.ROOT, "%-16s %s after %d ms%n", point, point.end(), took.toMillis());
        Inspection inspection = new Inspection(database, journal);
        State state = inspection.crate(crate);
        assertThat(inspection.faults()).isEmpty();
        assertThat(state.status()).isEqualTo(point.end() == End.SHIPPED ? "AWAY" : "HOME");
        assertThat(state.version()).isEqualTo(point.end() == End.UNTOUCHED ? 0 : 2);
        assertThat(inspection.moves(crate)).hasSize(point.end() == End.SHIPPED ? 1 : 0);
        assertThat(took).isLessThan(PROMISED.plus(SLACK));

        // The victim's caller repeats the call, as a saga does.
        assertThat(other.repeatable("ship", crate)).isInstanceOf(TransitionOutcome.Completed.class);
        awaitQuiet();
        Inspection repeated = new Inspection(database, journal);
        assertThat(repeated.faults()).isEmpty();
        assertThat(repeated.crate(crate).status()).isEqualTo("AWAY");
        assertThat(repeated.moves(crate)).hasSize(1);
    }

    private static long pack() {
        return client.sql("INSERT INTO crate (status, note, version) VALUES ('HOME', '', 0) RETURNING id")
                .query(Long.class)
                .single();
    }

    /** Leaves a claim whose owner has sent no heartbeat for an hour. */
    private static void leaveStuck(long crate) {
        var leaving = other.bean(DeclaredClaimStates.class).all().stream()
                .filter(state -> state.into().equals("LEAVING"))
                .findFirst()
                .orElseThrow();
        assertThat(other.bean(ClaimService.class).tryClaim(leaving, crate, "nobody"))
                .isInstanceOf(ClaimAttempt.Granted.class);
        client.sql("UPDATE saga_claim SET alive_at = alive_at - INTERVAL '1 hour'")
                .update();
    }

    private static void awaitQuiet() {
        await("time until all is quiet")
                .atMost(30, SECONDS)
                .pollDelay(Duration.ZERO)
                .pollInterval(20, MILLISECONDS)
                .until(() -> Inspection.isQuiet(client));
    }
}
