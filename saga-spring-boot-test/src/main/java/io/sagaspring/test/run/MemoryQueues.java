package io.sagaspring.test.run;

import io.sagaspring.run.Permit;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.QueueDepth;
import io.sagaspring.run.QueueDepth.Decision;
import io.sagaspring.run.QueueStore;
import io.sagaspring.run.RunState;
import io.sagaspring.run.queue.QueueLimits;
import io.sagaspring.run.queue.RunQueue;
import io.sagaspring.run.queue.StartRate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The queues of a store in memory. The lock of the store makes each change atomic. */
final class MemoryQueues implements QueueStore {

    private static final int MOST_COUNTED = 10_000;

    /**
     * A limit of attempts that is never reached. A run that begins is not parked: only a pickup after a crash parks a
     * run.
     */
    private static final int NEVER_PARKED = Integer.MAX_VALUE;

    private final ReentrantLock lock;
    private final MemoryRuns runs;
    private final MemoryExecutions executions;
    private final Map<String, Queue> queues = new TreeMap<>();

    private static final class Queue {
        String declared = "";
        QueueLimits limits = QueueLimits.atOnce(1);
        boolean keepsPermits;
        String lastKey = "";
        boolean hasServed;

        @Nullable
        Instant usedUntil;

        final Map<String, Instant> keysUsedUntil = new HashMap<>();

        @Nullable
        Decision change;

        @Nullable
        Decision pause;

        /**
         * Moves the stored times back to the latest time that a full burst under the current limit could cause. A later
         * time comes from an earlier limit, or was stored before the clock was set back.
         */
        void shortenRates(Instant now) {
            StartRate rate = limits.starts();
            StartRate ofKey = limits.startsForEach();
            if (rate != null && usedUntil != null) {
                usedUntil = shortened(rate, usedUntil, now);
            }
            if (ofKey != null) {
                keysUsedUntil.replaceAll((key, until) -> shortened(ofKey, until, now));
            }
        }

        private static Instant shortened(StartRate rate, Instant until, Instant now) {
            Instant latest = rate.latestUse(now);
            return until.isAfter(latest) ? latest : until;
        }
    }

    MemoryQueues(ReentrantLock lock, MemoryRuns runs, MemoryExecutions executions) {
        this.lock = lock;
        this.runs = runs;
        this.executions = executions;
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<String> declare(RunQueue queue) {
        return locked(() -> {
            Queue found = queues.computeIfAbsent(queue.name(), name -> new Queue());
            if (found.declared.equals(queue.toString())) {
                return Optional.empty();
            }
            Optional<String> replaced =
                    Optional.ofNullable(found.change).map(change -> "%s by %s".formatted(found.limits, change.by()));
            found.declared = queue.toString();
            found.limits = queue.limits();
            found.keepsPermits = queue.isKeepingPermits();
            found.change = null;
            found.shortenRates(runs.now());
            return replaced;
        });
    }

    private Stream<MemoryRun> of(String queue) {
        return runs.all().filter(run -> run.isOf(queue));
    }

    private long inUse(String queue) {
        return of(queue).filter(run -> run.permit != null).count();
    }

    private long inUse(String queue, String key) {
        return of(queue)
                .filter(run -> run.permit != null && run.requirePlace().key().equals(key))
                .count();
    }

    @Override
    public Optional<Duration> untilNext(Set<String> names, Duration within) {
        return locked(() -> names.stream()
                .flatMap(name -> untilNext(name).stream())
                .filter(each -> each.compareTo(within) <= 0)
                .min(Comparator.naturalOrder()));
    }

    private Optional<Duration> untilNext(String name) {
        Queue queue = queues.get(name);
        if (queue != null
                && queue.pause == null
                && inUse(name) < queue.limits.atOnce()
                && of(name).anyMatch(MemoryRun::stands)) {
            StartRate rate = queue.limits.starts();
            Instant now = runs.now();
            return Stream.concat(
                            Stream.of(
                                    rate == null
                                            ? Duration.ZERO
                                            : Duration.between(now, rate.nextStart(queue.usedUntil, now))),
                            untilJoin(name).stream())
                    .min(Comparator.naturalOrder());
        }
        return untilJoin(name);
    }

    private Optional<Duration> untilJoin(String name) {
        return of(name).filter(run -> run.needsPermit)
                .flatMap(run -> Stream.ofNullable(run.dueAt))
                .map(due -> Duration.between(runs.now(), due))
                .min(Comparator.naturalOrder());
    }

    @Override
    public List<Cancelled> join(Set<String> names) {
        return locked(() -> {
            Instant now = runs.now();
            List<Cancelled> ended = new ArrayList<>();
            runs.all()
                    .filter(run -> run.needsPermit && run.isDue(now))
                    .filter(run -> names.contains(run.requirePlace().queue()))
                    .forEach(run -> {
                        boolean ends = run.token == null && run.cancelReason != null;
                        run.rest(ends ? RunState.CANCELLED : RunState.PENDING, null, now);
                        if (ends) {
                            run.endedAt = now;
                            run.error = "The run was cancelled before it began.";
                            ended.add(new Cancelled(
                                    run.started.id(),
                                    run.started.run(),
                                    run.started.tenant(),
                                    Objects.requireNonNull(run.cancelReason)));
                        }
                    });
            return ended;
        });
    }

    @Override
    public List<PickedUpRun> take(String name, Set<String> code, int slots) {
        return locked(() -> {
            List<PickedUpRun> begun = new ArrayList<>();
            Queue queue = queues.get(name);
            if (queue == null || queue.pause != null) {
                return begun;
            }
            while (begun.size() < slots
                    && inUse(name) < queue.limits.atOnce()
                    && allows(queue.limits.starts(), queue.usedUntil)) {
                Optional<MemoryRun> next = next(name, queue, code);
                if (next.isEmpty()) {
                    break;
                }
                MemoryRun run = next.get();
                run.needsPermit = false;
                run.permit = new Permit(name, freeNumber(name), queue.keepsPermits);
                queue.lastKey = run.requirePlace().key();
                queue.hasServed = true;
                count(queue, queue.lastKey);
                begun.add(executions.pickUp(run, runs.now(), NEVER_PARKED));
            }
            return begun;
        });
    }

    private boolean allows(@Nullable StartRate rate, @Nullable Instant usedUntil) {
        Instant now = runs.now();
        return rate == null || !rate.nextStart(usedUntil, now).isAfter(now);
    }

    private void count(Queue queue, String key) {
        StartRate rate = queue.limits.starts();
        StartRate ofKey = queue.limits.startsForEach();
        if (rate != null) {
            queue.usedUntil = rate.usedAfterStart(queue.usedUntil, runs.now());
        }
        if (ofKey != null) {
            queue.keysUsedUntil.compute(key, (each, until) -> ofKey.usedAfterStart(until, runs.now()));
        }
    }

    private int freeNumber(String name) {
        List<Integer> used = of(name).flatMap(run -> Stream.ofNullable(run.permit))
                .map(Permit::number)
                .toList();
        int number = 1;
        while (used.contains(number)) {
            number++;
        }
        return number;
    }

    /** Returns the first run that may begin, of the key that is next in turn or of a key behind it. */
    private Optional<MemoryRun> next(String name, Queue queue, Set<String> code) {
        Integer each = queue.limits.atOnceForEach();
        Comparator<MemoryRun> byTurn = Comparator.comparing((MemoryRun run) ->
                        queue.hasServed && run.requirePlace().key().compareTo(queue.lastKey) <= 0)
                .thenComparing(run -> run.requirePlace().key());
        return of(name).filter(run -> run.stands() && code.contains(run.started.run()))
                .filter(run -> each == null || inUse(name, run.requirePlace().key()) < each)
                .filter(run -> allows(
                        queue.limits.startsForEach(),
                        queue.keysUsedUntil.get(run.requirePlace().key())))
                .min(byTurn.thenComparing(run -> run.requirePlace().priority(), Comparator.reverseOrder())
                        .thenComparing(run -> run.queueNumber));
    }

    @Override
    public boolean pause(String name, String why, String by) {
        return locked(() -> {
            Queue queue = queues.get(name);
            if (queue == null || queue.pause != null) {
                return false;
            }
            queue.pause = new Decision(runs.now(), by, why);
            return true;
        });
    }

    @Override
    public boolean resume(String name) {
        return locked(() -> {
            Queue queue = queues.get(name);
            boolean wasPaused = queue != null && queue.pause != null;
            if (queue != null) {
                queue.pause = null;
            }
            return wasPaused;
        });
    }

    @Override
    public boolean limits(String name, QueueLimits limits, String why, String by) {
        return locked(() -> {
            Queue queue = queues.get(name);
            if (queue != null) {
                queue.limits = limits;
                queue.change = new Decision(runs.now(), by, why);
                queue.shortenRates(runs.now());
            }
            return queue != null;
        });
    }

    @Override
    public List<QueueDepth> depths() {
        return locked(() -> queues.entrySet().stream()
                .map(each -> depth(each.getKey(), each.getValue()))
                .toList());
    }

    private QueueDepth depth(String name, Queue queue) {
        List<MemoryRun> waiting =
                of(name).filter(MemoryRun::stands).limit(MOST_COUNTED).toList();
        Duration oldest = waiting.stream()
                .map(run -> Duration.between(run.since, runs.now()))
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        return new QueueDepth(name, queue.limits, (int) inUse(name), waiting.size(), oldest, queue.change, queue.pause);
    }

    @Override
    public int reclaim(Set<String> names, Duration after) {
        return locked(() -> {
            queues.values().forEach(queue -> queue.shortenRates(runs.now()));
            List<MemoryRun> lost = runs.all()
                    .filter(run -> run.permit != null
                            && names.contains(run.requirePlace().queue())
                            && run.isDue(runs.now().minus(after)))
                    .toList();
            lost.forEach(run -> {
                run.interrupted |= run.state == RunState.RUNNING;
                run.rest(RunState.PENDING, null, runs.now());
                run.freePermit();
            });
            return lost.size();
        });
    }
}
