package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.run.QueueDepth;
import io.sagaspring.run.QueueDepth.Decision;
import io.sagaspring.run.queue.QueueLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests which waiting runs of a queue the health endpoint reports as a problem. */
class QueueHealthTests {

    private static final QueueLimits TWO = QueueLimits.atOnce(2);
    private static final Duration LONG = Duration.ofHours(1);

    private static List<String> problems(QueueDepth depth) {
        RunFacts facts = new RunFacts(Map.of(), List.of(), List.of(depth), Set.of());
        Survey<RunFacts> survey = new Survey<>(() -> facts, ElapsedClock.OF_THIS_MACHINE);
        List<String> problems = new ArrayList<>();
        new QueueHealth(survey, Duration.ofMinutes(1), () -> Set.of("psp")).report(new TreeMap<>(), problems);
        return problems;
    }

    private static QueueDepth depth(
            String queue, QueueLimits limits, int inUse, Duration oldest, @Nullable Decision pause) {
        return new QueueDepth(queue, limits, inUse, 3, oldest, null, pause);
    }

    @Test
    void runsThatWaitAlthoughThereAreFreePermitsAreAProblem() {
        assertThat(problems(depth("psp", TWO, 1, LONG, null)))
                .containsExactly(
                        "Runs wait in the queue 'psp' (count: 3), the first of them for 1 h, although the queue has free permits. Raise saga.runs.queue-concurrency, or start a node that has the code of the runs.");
    }

    @Test
    void runsInAQueueThatTheApplicationDoesNotDeclareAreAProblem() {
        assertThat(problems(depth("ledger", TWO, 2, LONG, null)))
                .containsExactly(
                        "Runs wait in the queue 'ledger' (count: 3), the first of them for 1 h, but this application does not declare the queue. Declare a RunQueue bean or saga.runs.queues.ledger.");
    }

    @Test
    void runsThatHaveToWaitAreNoProblem() {
        Decision pause = new Decision(Instant.EPOCH, "ada", "maintenance");

        assertThat(problems(depth("psp", TWO, 2, LONG, null))).isEmpty();
        assertThat(problems(depth("psp", TWO, 0, LONG, pause))).isEmpty();
        assertThat(problems(depth("psp", TWO.atOnceForEach(1), 1, LONG, null))).isEmpty();
        assertThat(problems(depth("psp", TWO.starts(1, LONG), 0, LONG, null))).isEmpty();
        assertThat(problems(depth("psp", TWO.startsForEach(1, LONG), 0, LONG, null)))
                .isEmpty();
        assertThat(problems(depth("psp", TWO, 0, Duration.ofSeconds(59), null))).isEmpty();
    }
}
