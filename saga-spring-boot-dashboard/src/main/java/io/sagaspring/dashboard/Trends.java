package io.sagaspring.dashboard;

import io.sagaspring.actuate.Survey;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.ReadLimit;
import io.sagaspring.run.RunEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of runs that ended or failed, and of runs that were due, in the last hour and the last day. A thread of
 * its own counts, and only while somebody looks. It counts an interval that has ended once, and the last one each time.
 */
final class Trends {

    private static final Duration OLD = Duration.ofSeconds(15);

    /** A run gets the time of its end before its transaction commits. After this time, no such transaction is left. */
    private static final Duration SETTLED = Duration.ofSeconds(10);

    private final DashboardSources sources;
    private final EndedRuns runs;
    private final BacklogHistory backlog;
    private final Duration timeout;
    private final Supplier<Instant> now;
    private final Span hour = new Span(Duration.ofMinutes(1), 60);
    private final Span day = new Span(Duration.ofMinutes(30), 48);
    private final Survey<Sample> latest = new Survey<>(this::read, ElapsedClock.OF_THIS_MACHINE, OLD);

    Trends(DashboardSources sources, EndedRuns runs, BacklogHistory backlog, Duration timeout, Supplier<Instant> now) {
        this.sources = sources;
        this.runs = runs;
        this.backlog = backlog;
        this.timeout = timeout;
        this.now = now;
    }

    /** The last hour in minutes, and the last day in half hours. */
    record Sample(Series hour, Series day) {}

    /**
     * The numbers of a time.
     *
     * @param from the begin of the first interval
     * @param seconds the length of each interval
     * @param ended the number of runs that ended in each interval
     * @param failed the number of those that failed
     * @param backlog the largest number of due runs in each interval, or null if this node did not run then
     * @param estimated true if an interval has too many runs to count all of them
     */
    record Series(
            Instant from,
            long seconds,
            List<Long> ended,
            List<Long> failed,
            List<@Nullable Long> backlog,
            boolean estimated) {}

    private record Span(Duration step, int number, ConcurrentSkipListMap<Instant, EndedRuns.Count> counted) {

        Span(Duration step, int number) {
            this(step, number, new ConcurrentSkipListMap<>());
        }

        /** Returns the begin of the first interval. The last one is that of the given time. */
        Instant first(Instant now) {
            long seconds = step.toSeconds();
            long last = Math.floorDiv(now.getEpochSecond(), seconds) * seconds;
            return Instant.ofEpochSecond(last - (number - 1) * seconds);
        }
    }

    /** Returns the latest numbers, or null if they are being read for the first time. */
    @Nullable
    Sample latest() {
        return sources.find(RunEngine.class) == null ? null : latest.latest();
    }

    Sample read() {
        return ReadLimit.within(timeout, () -> {
            Instant at = now.get();
            return new Sample(series(hour, at), series(day, at));
        });
    }

    private Series series(Span span, Instant at) {
        Instant first = span.first(at);
        span.counted().headMap(first).clear();
        List<Long> ended = new ArrayList<>();
        List<Long> failed = new ArrayList<>();
        List<@Nullable Long> due = new ArrayList<>();
        boolean estimated = false;
        for (int index = 0; index < span.number(); index++) {
            Instant from = first.plus(span.step().multipliedBy(index));
            EndedRuns.Count count = count(span, from, at);
            ended.add(count.ended());
            failed.add(count.failed());
            due.add(backlog.most(from, from.plus(span.step())));
            estimated |= count.estimated();
        }
        return new Series(first, span.step().toSeconds(), ended, failed, due, estimated);
    }

    private EndedRuns.Count count(Span span, Instant from, Instant at) {
        Instant to = from.plus(span.step());
        return to.isAfter(at.minus(SETTLED))
                ? runs.count(from, to.isAfter(at) ? at : to)
                : span.counted().computeIfAbsent(from, start -> runs.count(start, to));
    }
}
