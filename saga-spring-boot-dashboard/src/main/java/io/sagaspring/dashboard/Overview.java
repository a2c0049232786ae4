package io.sagaspring.dashboard;

import io.sagaspring.run.RunCount;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The front page: first what needs a person, then counts. The result is kept for some seconds, so the cost does not
 * depend on the number of people who watch. While one request reads, the others wait for its result, but not long.
 */
final class Overview {

    private static final Duration FRESH = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final DashboardSources sources;
    private final KindCounting kinds;
    private final Trends trends;
    private final Supplier<Instant> now;
    private final ReentrantLock reading = new ReentrantLock();
    private volatile @Nullable Kept kept;
    private @Nullable Instant wellSince;

    /** What was read last, or why it could not be read. Those who come next must not repeat a failure at once. */
    private record Kept(@Nullable Sample sample, @Nullable RuntimeException failure, long at) {

        boolean isFresh() {
            return System.nanoTime() - at < FRESH.toNanos();
        }

        Sample result() {
            if (failure != null) {
                throw failure;
            }
            return Objects.requireNonNull(sample);
        }
    }

    /**
     * The content of the front page.
     *
     * @param wellSince the time from which this node has seen no trouble, or null if there is trouble
     * @param kinds the numbers of runs of each name, or null if they are not known yet
     * @param trends the numbers of the last hour and day, or null if they are not known yet
     */
    record Sample(
            Instant sampledAt,
            @Nullable Instant wellSince,
            List<Trouble> troubles,
            List<StateCount> counts,
            @Nullable List<KindCounting.Kind> kinds,
            Trends.@Nullable Sample trends) {}

    /** Something that needs a person. */
    record Trouble(
            String kind,
            int count,
            boolean capped,
            @Nullable Instant oldest,
            List<Example> examples,
            Map<String, String> filter) {}

    /** One of the things that need a person. */
    record Example(
            String view, String id, String title, @Nullable Instant since) {}

    /** The number of runs in a state. */
    record StateCount(RunState state, int count, boolean capped) {}

    Overview(DashboardSources sources, KindCounting kinds, Trends trends, Supplier<Instant> now) {
        this.kinds = kinds;
        this.trends = trends;
        this.sources = sources;
        this.now = now;
    }

    Sample latest() {
        Kept before = kept;
        if (before != null && before.isFresh()) {
            return before.result();
        }
        if (!isMyTurn()) {
            if (before == null) {
                throw new ProblemException(new ProblemException.Problem(
                        503,
                        "Service Unavailable",
                        "Another request is reading the front page, and the database is slow. Try again later.",
                        "timed-out"));
            }
            return before.result();
        }
        try {
            Kept meanwhile = kept;
            Kept result = meanwhile != null && meanwhile.isFresh() ? meanwhile : readAndKeep();
            return result.result();
        } finally {
            reading.unlock();
        }
    }

    /** Waits for another request, but not long. Requests that wait hold threads of the application's web server. */
    private boolean isMyTurn() {
        try {
            return reading.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Kept readAndKeep() {
        Sample sample = null;
        RuntimeException failure = null;
        try {
            sample = read();
        } catch (RuntimeException failed) {
            failure = failed;
        }
        Kept result = new Kept(sample, failure, System.nanoTime());
        kept = result;
        return result;
    }

    /** Counts the runs in each state that any run is in. */
    private Map<RunState, RunCount> numbers() {
        Map<RunState, RunCount> numbers = new EnumMap<>(RunState.class);
        Runs runs = sources.find(Runs.class);
        if (runs != null) {
            for (RunState state : RunState.values()) {
                RunCount count = runs.count(RunQuery.all().in(state));
                if (count.number() > 0) {
                    numbers.put(state, count);
                }
            }
        }
        return numbers;
    }

    private Sample read() {
        Instant at = now.get();
        Map<RunState, RunCount> numbers = numbers();
        List<Trouble> troubles = new Troubles(sources, numbers, at).find();
        List<StateCount> counts = numbers.entrySet().stream()
                .map(each -> new StateCount(
                        each.getKey(), each.getValue().number(), each.getValue().isMore()))
                .toList();
        if (!troubles.isEmpty()) {
            wellSince = null;
        } else if (wellSince == null) {
            wellSince = at;
        }
        return new Sample(at, wellSince, troubles, counts, kinds.latest(), trends.latest());
    }
}
