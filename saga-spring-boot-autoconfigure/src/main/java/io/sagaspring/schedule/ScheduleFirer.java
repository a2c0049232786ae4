package io.sagaspring.schedule;

import io.sagaspring.fence.LogText;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunEngine.NamedStart;
import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import io.sagaspring.schedule.ScheduleDecision.Previous;
import io.sagaspring.schedule.ScheduleDecision.Start;
import io.sagaspring.schedule.ScheduleRow.Locked;
import io.sagaspring.schedule.ScheduleStore.Changed;
import io.sagaspring.schedule.ScheduleStore.Known;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * Fires schedules: locks each schedule, decides about it, and starts the runs in the same transaction. After the
 * commit, this class notifies the listeners. It also cancels each unfinished run for whose end a schedule with
 * {@link Overlap#CANCEL} waits.
 */
final class ScheduleFirer {

    private static final Logger logger = LoggerFactory.getLogger(ScheduleFirer.class);

    private final ScheduleStore store;
    private final RunStore runs;
    private final Supplier<RunEngine> engine;
    private final Supplier<List<ScheduleListener>> listeners;

    ScheduleFirer(
            ScheduleStore store,
            RunStore runs,
            Supplier<RunEngine> engine,
            Supplier<List<ScheduleListener>> listeners) {
        this.store = store;
        this.runs = runs;
        this.engine = engine;
        this.listeners = listeners;
    }

    /** The result of firing one schedule. */
    private record Fired(String schedule, List<Duration> lags, int missed, int overlapped) {}

    /**
     * A locked schedule with the decision about it.
     *
     * @param locked the schedule under its lock
     * @param result the decision
     */
    private record Decided(Locked locked, ScheduleDecision.Result result) {

        ScheduleRow row() {
            return locked.row();
        }

        boolean isChange() {
            return !result.starts().isEmpty() || !result.state().equals(row().state());
        }

        /** Returns the inputs of the runs to start. */
        Stream<Firing> firings() {
            return result.starts().stream()
                    .map(start -> new Firing(row().name(), start.at(), start.triggered(), start.previous()));
        }
    }

    /**
     * Fires the schedules that are due. If one of them cannot fire, the others still do, unless the database fails.
     *
     * @param known the schedules that this node may fire
     * @param limit the most schedules to fire
     * @param onTimeSince the time before which due instants count as missed
     * @param firesMissed true if this node decides about missed instants, false if it leaves them to other nodes
     * @return the number of schedules that have changed
     * @throws RuntimeException if a schedule could not fire
     */
    int fire(Known known, int limit, Instant onTimeSince, boolean firesMissed) {
        try {
            return fireTogether(known, limit, onTimeSince, firesMissed);
        } catch (DataAccessException | TransactionException failed) {
            throw failed;
        } catch (RuntimeException failed) {
            return fireEach(known, onTimeSince, firesMissed);
        }
    }

    private int fireEach(Known known, Instant onTimeSince, boolean firesMissed) {
        int changed = 0;
        IllegalStateException failures = null;
        for (String name : known.names()) {
            try {
                changed += fireTogether(
                        new Known(Set.of(name), known.runs(), known.queues()), 1, onTimeSince, firesMissed);
            } catch (RuntimeException failed) {
                IllegalStateException failure =
                        new IllegalStateException("The schedule '%s' cannot fire: %s".formatted(name, failed), failed);
                if (failures == null) {
                    failures = failure;
                } else {
                    failures.addSuppressed(failure);
                }
            }
        }
        if (failures != null) {
            throw failures;
        }
        return changed;
    }

    private int fireTogether(Known known, int limit, Instant onTimeSince, boolean firesMissed) {
        Map<RunId, String> cancelled = new LinkedHashMap<>();
        List<Fired> fired = store.changeDue(
                known,
                limit,
                due -> fire(
                        due.stream()
                                .filter(locked -> firesMissed || !isMissed(locked, onTimeSince))
                                .toList(),
                        onTimeSince,
                        cancelled));
        cancelled.forEach(this::cancel);
        fired.forEach(this::notifyListeners);
        return fired.size();
    }

    private static boolean isMissed(Locked locked, Instant onTimeSince) {
        Instant next = locked.row().state().nextAt();
        return next != null && next.isBefore(onTimeSince);
    }

    private Map<String, Changed<Fired>> fire(List<Locked> due, Instant onTimeSince, Map<RunId, String> cancelled) {
        Map<RunId, RunRow> last = lastRuns(due);
        List<Decided> decided = new ArrayList<>();
        for (Locked locked : due) {
            RunRow run = last.get(locked.row().state().lastRun());
            ScheduleDecision.Result result =
                    ScheduleDecision.of(locked, onTimeSince, run == null ? null : previous(run));
            if (locked.row().terms().overlap() == Overlap.CANCEL
                    && result.state().waits()
                    && run != null
                    && isOpen(run)
                    && run.cancelReason() == null) {
                cancelled.put(run.id(), locked.row().name());
            }
            decided.add(new Decided(locked, result));
        }
        return started(decided.stream().filter(Decided::isChange).toList());
    }

    /** Starts the runs of all schedules together. */
    private Map<String, Changed<Fired>> started(List<Decided> decided) {
        Iterator<RunHandle<?>> runs = engine.get()
                .startNamed(decided.stream()
                        .flatMap(each -> each.firings().map(firing -> starting(each.row(), firing)))
                        .toList())
                .iterator();
        Map<String, Changed<Fired>> changes = new LinkedHashMap<>();
        for (Decided each : decided) {
            changes.put(each.row().name(), changed(each, runs));
        }
        return changes;
    }

    private static Changed<Fired> changed(Decided decided, Iterator<RunHandle<?>> runs) {
        ScheduleDecision.Result result = decided.result();
        RunId last = decided.row().state().lastRun();
        List<Duration> lags = new ArrayList<>();
        for (Start start : result.starts()) {
            RunHandle<?> run = runs.next();
            last = run.id();
            if (run.isNew()) {
                lags.add(Duration.between(start.at(), decided.locked().now()));
            }
        }
        return new Changed<>(
                result.state().lastRun(last),
                null,
                List.of(),
                result.usesWaiting() ? decided.locked().waiting() : null,
                new Fired(decided.row().name(), lags, result.missed(), result.overlapped()));
    }

    /** Reads the last runs of the schedules whose decision depends on them. */
    private Map<RunId, RunRow> lastRuns(List<Locked> due) {
        List<RunId> ids = due.stream()
                .filter(ScheduleFirer::needsPrevious)
                .flatMap(locked -> Stream.ofNullable(locked.row().state().lastRun()))
                .toList();
        return runs.findRows(ids).stream().collect(Collectors.toMap(RunRow::id, Function.identity()));
    }

    /** Returns true if the decision depends on the latest run. Otherwise the run is not read. */
    private static boolean needsPrevious(Locked locked) {
        ScheduleRow row = locked.row();
        return row.terms().overlap() != Overlap.ALLOW
                || row.state().waits()
                || locked.waiting() != null
                || row.terms().spec() instanceof ScheduleSpec.Delay;
    }

    Optional<RunRow> lastRun(ScheduleRow row) {
        RunId run = row.state().lastRun();
        return run == null ? Optional.empty() : runs.findRow(run);
    }

    private static Previous previous(RunRow run) {
        return isOpen(run)
                ? new Previous(true, null)
                : new Previous(false, run.endedAt() == null ? run.since() : run.endedAt());
    }

    /**
     * Returns true if a run has not ended and does not wait for a person. A run that waits for a person must not stop
     * its schedule.
     */
    static boolean isOpen(RunRow run) {
        RunState state = run.state();
        return !state.isEnd() && !state.waitsForAPerson();
    }

    RunHandle<?> start(ScheduleRow row, Firing firing) {
        return engine.get().startNamed(List.of(starting(row, firing))).get(0);
    }

    private static NamedStart starting(ScheduleRow row, Firing firing) {
        return new NamedStart(row.terms().run(), firing, options(row, firing));
    }

    private static RunOptions options(ScheduleRow row, Firing firing) {
        RunOptions keyed = RunOptions.withKey(firing.key());
        String queue = row.terms().queue();
        return queue == null ? keyed : keyed.in(queue);
    }

    void cancel(RunId run, String schedule) {
        try {
            boolean unused = engine.get()
                    .runs()
                    .cancel(run, "The schedule '%s' has fired again.".formatted(LogText.of(schedule)));
        } catch (RuntimeException failed) {
            logger.warn("Run {} could not be cancelled. Its schedule '{}' tries again", run, schedule, failed);
        }
    }

    private void notifyListeners(Fired fired) {
        if (fired.missed() > 0) {
            logger.info("The schedule '{}' has skipped missed instants (number: {})", fired.schedule(), fired.missed());
        }
        for (ScheduleListener each : listeners.get()) {
            try {
                fired.lags().forEach(lag -> each.fired(fired.schedule(), lag));
                if (fired.missed() + fired.overlapped() > 0) {
                    each.skipped(fired.schedule(), fired.missed(), fired.overlapped());
                }
            } catch (Throwable failed) {
                logger.warn("A ScheduleListener threw an exception", failed);
            }
        }
    }
}
