package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.QueueDepth;
import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunId;
import io.sagaspring.run.StartOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a queue while a node dies at a named point. Another node completes all runs. No permit and no allowance of a rate is lost or used
 * twice, and a pause or a new limit takes effect either completely or not at all.
 */
@Tag("chaos")
class QueueCrashPointTests {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int RUNS = 6;

    private static QueueOffices offices;
    private static int nodes;

    @BeforeAll
    static void create(@TempDir Path logs) {
        offices = new QueueOffices(logs);
    }

    @AfterAll
    static void drop() {
        offices.close();
    }

    @BeforeEach
    void clear() {
        offices.clear();
    }

    @ParameterizedTest
    @EnumSource
    void theNextNodeCompletesTheRunsAndNoPermitIsLost(QueueCrashPoint point) throws Exception {
        try (Office survivor = offices.office("survivor-" + nodes++)) {
            List<RunId> runs = new ArrayList<>();
            for (int number = 0; number < RUNS; number++) {
                runs.add(offices.start(survivor, point.queue(), "key-" + number % 2, number));
            }
            dieAt(point);
            if (point.isAfterTheBeginning()) {
                assertThat(offices.begun(point.queue())).isPositive();
            }
            survivor.opened();
            if (survivor.runs().queue("psp").depth().isPaused()) {
                assertThat(point.command()).isEqualTo("pause");
                assertThat(offices.begun("psp")).isLessThanOrEqualTo(QueueErrand.AT_ONCE);
                assertThat(survivor.runs().queue("psp").resume()).isTrue();
            }
            for (RunId run : runs) {
                assertThat(survivor.runs().handle(run, QueueErrand.class).await(SOON))
                        .startsWith("key-");
            }
            await().atMost(60, SECONDS).pollInterval(20, MILLISECONDS).until(offices::isQuiet);
            assertThat(offices.faults()).isEmpty();
            assertThat(offices.faultsOfRates()).isEmpty();
            QueueDepth depth = survivor.runs().queue("psp").depth();
            assertThat(depth.limits().atOnce())
                    .isIn(QueueErrand.AT_ONCE, point.command().equals("lower") ? 1 : QueueErrand.AT_ONCE);
            // A limit that was lowered is met as soon as enough runs have ended.
            assertThat(offices.permits("psp")).isLessThanOrEqualTo(QueueErrand.AT_ONCE);
            requireRoomFor(survivor, depth.limits().atOnce());
        }
    }

    /** The client has got no answer, so it repeats the start on another node. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = "REPLACE.*")
    void anInputIsReplacedCompletelyOrNotAtAll(QueueCrashPoint point) throws Exception {
        try (Office survivor = offices.office("survivor-" + nodes++)) {
            RunHandle<String> first = survivor.runs().start(QueueErrand.class, "one/1", QueueErrand.REPLACEABLE);
            try (ForkedProcess victim = offices.fork("victim-" + nodes++, point.queue())) {
                victim.await("READY");
                victim.send("crash " + point);
                victim.send("replace");
                assertThat(victim.awaitEnd()).isEqualTo(137);
            }
            assertThat(offices.inputs()).containsExactly(point == QueueCrashPoint.REPLACE_U ? "two/1" : "one/1");

            RunHandle<String> again = survivor.runs().start(QueueErrand.class, "two/1", QueueErrand.REPLACEABLE);

            assertThat(again.id()).isEqualTo(first.id());
            assertThat(again.outcome()).isEqualTo(StartOutcome.REPLACED);
            survivor.opened();
            assertThat(first.await(SOON)).isEqualTo("two/1");
            await().atMost(60, SECONDS).pollInterval(20, MILLISECONDS).until(offices::isQuiet);
            assertThat(offices.faults()).isEmpty();
        }
    }

    /** Requires that as many runs as there are permits can end, one after the other, each with a new key. */
    private static void requireRoomFor(Office survivor, int permits) throws Exception {
        for (int number = 1; number <= permits; number++) {
            RunId run = offices.start(survivor, "psp", "last-" + number, 1);
            assertThat(survivor.runs().handle(run, QueueErrand.class).await(SOON))
                    .isNotNull();
        }
    }

    private static void dieAt(QueueCrashPoint point) throws InterruptedException {
        try (ForkedProcess victim = offices.fork("victim-" + nodes++, point.queue())) {
            victim.await("READY");
            if (point.command().isEmpty()) {
                victim.send("crash " + point);
                victim.send("open");
                victim.send("start " + point.queue());
            } else {
                victim.send("open");
                victim.await("OBEYED");
                victim.send("crash " + point);
                victim.send(point.command());
            }
            assertThat(victim.awaitEnd()).isEqualTo(137);
        }
    }
}
