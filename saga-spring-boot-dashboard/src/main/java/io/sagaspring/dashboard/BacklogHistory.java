package io.sagaspring.dashboard;

import io.sagaspring.due.Backlog;
import io.sagaspring.fence.Jobs;
import io.sagaspring.run.RunEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Counts the due runs each minute, and keeps the numbers of a day. Unlike ended runs, runs that were due at an earlier
 * time leave no trace in the database. So this node counts them even while nobody looks.
 */
final class BacklogHistory implements SmartLifecycle {

    private static final Logger logger = LoggerFactory.getLogger(BacklogHistory.class);
    private static final Duration INTERVAL = Duration.ofMinutes(1);
    private static final Duration KEPT = Duration.ofHours(25);

    private final DashboardSources sources;
    private final Supplier<Instant> now;
    private final ConcurrentSkipListMap<Instant, Long> numbers = new ConcurrentSkipListMap<>();
    private Jobs.@Nullable Job job;

    BacklogHistory(DashboardSources sources, Supplier<Instant> now) {
        this.sources = sources;
        this.now = now;
    }

    @Override
    public synchronized void start() {
        Jobs jobs = sources.find(Jobs.class);
        if (job == null && jobs != null && sources.find(RunEngine.class) != null) {
            job = jobs.start(
                    () -> {
                        count();
                        return INTERVAL;
                    },
                    INTERVAL,
                    failed -> logger.debug("Could not count the due runs for the dashboard", failed));
        }
    }

    @Override
    public synchronized void stop() {
        Jobs.Job ended = job;
        job = null;
        if (ended != null) {
            ended.end();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return job != null;
    }

    void count() {
        RunEngine engine = sources.find(RunEngine.class);
        if (engine != null) {
            Instant at = now.get();
            numbers.put(at, engine.backlog().stream().mapToLong(Backlog::due).sum());
            numbers.headMap(at.minus(KEPT)).clear();
        }
    }

    /** Returns the largest number of an interval, or null if nothing was counted then. */
    @Nullable
    Long most(Instant from, Instant to) {
        return numbers.subMap(from, to).values().stream().max(Long::compare).orElse(null);
    }
}
