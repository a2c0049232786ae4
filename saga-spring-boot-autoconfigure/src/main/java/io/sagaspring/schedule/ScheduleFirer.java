package io.sagaspring.schedule;

import io.sagaspring.fence.LogText;
import io.sagaspring.run.RunEngine;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires schedules: decides under the lock of each schedule, and starts the runs in the same transaction. After the
 * commit, this class notifies the listeners. It also cancels each unfinished run for whose end a schedule with {@link
 * Overlap#CANCEL} waits.
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
     * Fires the schedules that are due.
     *
     * @param known the schedules that this node may fire
     * @param limit the most schedules to fire
     * @param onTimeSince the time before which due instants count as missed
     * @param firesMissed true if this node decides about missed instants, false if it leaves them to other nodes
     * @return the number of schedules that have changed
     */
    int fire(Known known, int limit, Instant onTimeSince, boolean firesMissed) {
        Map<RunId, String> cancelled = new LinkedHashMap<>();
        List<Fired> fired = store.changeDue(
                known,
                limit,
                locked -> firesMissed || !isMissed(locked, onTimeSince) ? fire(locked, onTimeSince, cancelled) : null);
        cancelled.forEach(this::cancel);
        fired.forEach(this::notifyListeners);
        return fired.size();
    }

    private static boolean isMissed(Locked locked, Instant onTimeSince) {
        Instant next = locked.row().state().nextAt();
        return next != null && next.isBefore(onTimeSince);
    }

    private @Nullable Changed<Fired> fire(Locked locked, Instant onTimeSince, Map<RunId, String> cancelled) {
        ScheduleRow row = locked.row();
        Optional<RunRow> last = needsPrevious(locked) ? lastRun(row) : Optional.empty();
        ScheduleDecision.Result result = ScheduleDecision.of(
                locked, onTimeSince, last.map(ScheduleFirer::previous).orElse(null));
        if (row.terms().overlap() == Overlap.CANCEL && result.state().waits()) {
            last.filter(run -> isOpen(run) && run.cancelReason() == null)
                    .ifPresent(run -> cancelled.put(run.id(), row.name()));
        }
        if (result.starts().isEmpty() && result.state().equals(row.state())) {
            return null;
        }
        RunId run = row.state().lastRun();
        Instant before = row.state().lastAt();
        List<Duration> lags = new ArrayList<>();
        for (Start start : result.starts()) {
            RunHandle<?> started = start(row, new Firing(row.name(), start.at(), start.triggered(), before));
            run = started.id();
            if (started.isNew()) {
                lags.add(Duration.between(start.at(), locked.now()));
            }
            before = start.triggered() ? before : start.at();
        }
        return new Changed<>(
                result.state().lastRun(run),
                null,
                List.of(),
                result.usesWaiting() ? locked.waiting() : null,
                new Fired(row.name(), lags, result.missed(), result.overlapped()));
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
     * Returns true if a run has not ended. A run that waits for a person does not count, because it would stop its
     * schedule.
     */
    static boolean isOpen(RunRow run) {
        RunState state = run.state();
        return !state.isEnd() && !state.waitsForAPerson();
    }

    RunHandle<?> start(ScheduleRow row, Firing firing) {
        return engine.get().startNamed(row.terms().run(), firing, RunOptions.withKey(firing.key()));
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
            logger.info("The schedule '{}' has skipped {} missed instants", fired.schedule(), fired.missed());
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
