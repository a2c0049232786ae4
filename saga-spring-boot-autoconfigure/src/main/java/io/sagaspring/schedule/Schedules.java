package io.sagaspring.schedule;

import io.sagaspring.fence.LogText;
import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.StorageLimits;
import io.sagaspring.schedule.ScheduleRow.Locked;
import io.sagaspring.schedule.ScheduleRow.WaitingFiring;
import io.sagaspring.schedule.ScheduleState.Pause;
import io.sagaspring.schedule.ScheduleStore.Changed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.IllegalTransactionStateException;

/**
 * Pauses, resumes, triggers and lists schedules:
 *
 * <pre>{@code
 * schedules.pause("dunning", "bank holiday", "ada");
 * }</pre>
 *
 * <p>Each change is committed on its own, and takes effect on all nodes. Inside a transaction, a call that changes a
 * schedule throws an {@code IllegalTransactionStateException}.
 *
 * @since 0.1.0
 */
public final class Schedules {

    private static final Logger logger = LoggerFactory.getLogger(Schedules.class);

    /** The most by which the clock of a caller may be ahead of the database clock. */
    private static final Duration CLOCKS = Duration.ofMinutes(1);

    /** The most instants of one backfill. */
    private static final int MOST_FILLED = 1_000;

    /** The most instants that {@link #next} returns. */
    private static final int MOST_NEXT = 1_000;

    private final ScheduleStore store;
    private final ScheduleFirer firer;
    private final RunStore runs;
    private final Supplier<Map<String, ScheduleTerms>> declared;

    /** Makes this node look for due schedules. */
    private final Runnable wake;

    Schedules(
            ScheduleStore store,
            ScheduleFirer firer,
            RunStore runs,
            Supplier<Map<String, ScheduleTerms>> declared,
            Runnable wake) {
        this.store = store;
        this.firer = firer;
        this.runs = runs;
        this.declared = declared;
        this.wake = wake;
    }

    /**
     * Pauses a schedule. Instants that pass during the pause are gone: they neither fire later nor count as missed.
     *
     * @param name the name of the schedule
     * @param reason the reason, as shown to people
     * @param by the person who pauses it
     * @return false if the schedule was already paused; then nothing changes
     * @throws NoSuchScheduleException if there is no such schedule
     */
    public boolean pause(String name, String reason, String by) {
        Objects.requireNonNull(
                reason, "The reason for a pause must not be null. Pass a reason that a person understands.");
        boolean paused = change("Pausing a schedule", name, locked -> {
            ScheduleState state = locked.row().state();
            return state.pause() != null
                    ? unchanged(locked, false)
                    : changed(
                            state.paused(new Pause(
                                    locked.now(), text(by), Objects.requireNonNull(StorageLimits.text(reason)))),
                            by,
                            true);
        });
        if (paused) {
            logger.info("The schedule '{}' was paused by {}: {}", name, LogText.of(by), LogText.of(reason));
        }
        return paused;
    }

    /**
     * Resumes a schedule. It fires at its next instant.
     *
     * @param name the name of the schedule
     * @param by the person who resumes it
     * @return false if the schedule was not paused; then nothing changes
     * @throws NoSuchScheduleException if there is no such schedule
     */
    public boolean resume(String name, String by) {
        boolean resumed = change("Resuming a schedule", name, locked -> {
            ScheduleState state = locked.row().state();
            if (state.pause() == null) {
                return unchanged(locked, false);
            }
            Instant next = state.nextAt();
            return changed(
                    state.paused(null)
                            .nextAt(
                                    next == null || next.isAfter(locked.now())
                                            ? next
                                            : ScheduleTimes.next(
                                                    locked.row().terms().spec(), locked.now())),
                    by,
                    true);
        });
        if (resumed) {
            logger.info("The schedule '{}' was resumed by {}", name, LogText.of(by));
        }
        wake.run();
        return resumed;
    }

    /**
     * Fires a schedule now, even if it is paused. Its next instant stays the same. If the run of the previous firing
     * has not ended, the schedule's {@link Overlap} decides.
     *
     * @param name the name of the schedule
     * @param by the person who triggers it
     * @return the run, or the reason why none was started
     * @throws NoSuchScheduleException if there is no such schedule
     */
    public TriggerResult trigger(String name, String by) {
        List<RunId> cancelled = new ArrayList<>();
        TriggerResult result = change("Triggering a schedule", name, locked -> trigger(locked, by, cancelled));
        cancelled.forEach(run -> firer.cancel(run, name));
        logger.info(
                "The schedule '{}' was triggered by {}: {}",
                name,
                LogText.of(by),
                result.run() == null ? result.because() : "run " + result.run());
        wake.run();
        return result;
    }

    private Changed<TriggerResult> trigger(Locked locked, String by, List<RunId> cancelled) {
        ScheduleRow row = locked.row();
        ScheduleState state = row.state();
        Overlap overlap = row.terms().overlap();
        Optional<RunRow> open =
                overlap == Overlap.ALLOW ? Optional.empty() : firer.lastRun(row).filter(ScheduleFirer::isOpen);
        if (open.isPresent() && overlap == Overlap.SKIP) {
            return unchanged(
                    locked,
                    new TriggerResult(
                            null,
                            false,
                            "Run %s of the previous firing has not ended, and overlap is SKIP."
                                    .formatted(open.get().id())));
        }
        if (open.isPresent()) {
            if (overlap == Overlap.CANCEL) {
                cancelled.add(open.get().id());
            }
            return new Changed<>(
                    state.waiting(),
                    text(by),
                    List.of(new WaitingFiring(locked.now(), true, null, text(by))),
                    null,
                    new TriggerResult(
                            null,
                            true,
                            "The firing waits until run %s has ended."
                                    .formatted(open.get().id())));
        }
        RunHandle<?> run = firer.start(row, new Firing(row.name(), locked.now(), true, state.latestFiring()));
        return changed(state.lastRun(run.id()), by, new TriggerResult(run.id(), false, null));
    }

    /**
     * Fires a schedule for instants of the past. An instant whose run still exists does not fire again. If the run has
     * ended and has been removed since, the instant fires again.
     *
     * @param name the name of the schedule
     * @param from the first instant that may fire
     * @param to the last instant that may fire; a time up to a minute in the future means now, because clocks differ
     * @param overlap {@link Overlap#ALLOW} to start all runs immediately, or {@link Overlap#QUEUE_ONE} to start one
     *     after the other, each when the schedule's previous run has ended
     * @param by the person who requests the backfill
     * @return the numbers of runs started, of firings that wait, and of instants that had fired before
     * @throws NoSuchScheduleException if there is no such schedule
     * @throws IllegalArgumentException if there are more than 1,000 instants, or if an argument has another fault
     */
    public BackfillResult backfill(String name, Instant from, Instant to, Overlap overlap, String by) {
        if (overlap == Overlap.SKIP || overlap == Overlap.CANCEL) {
            throw new IllegalArgumentException(
                    "A backfill with overlap=%s would complete only one run. Use ALLOW or QUEUE_ONE."
                            .formatted(overlap));
        }
        BackfillResult result =
                change("Backfilling a schedule", name, locked -> backfill(locked, from, to, overlap, by));
        logger.info("The schedule '{}' was backfilled from {} to {} by {}: {}", name, from, to, LogText.of(by), result);
        wake.run();
        return result;
    }

    private Changed<BackfillResult> backfill(Locked locked, Instant from, Instant to, Overlap overlap, String by) {
        List<WaitingFiring> waiting = new ArrayList<>();
        int started = 0;
        int existing = 0;
        Instant previous = null;
        for (Instant each : gap(locked, from, to)) {
            Firing firing = new Firing(locked.row().name(), each, false, previous);
            previous = each;
            if (overlap == Overlap.QUEUE_ONE) {
                if (hasRun(locked.row(), firing)) {
                    existing++;
                } else {
                    waiting.add(new WaitingFiring(each, false, firing.previous(), text(by)));
                }
            } else if (firer.start(locked.row(), firing).isNew()) {
                started++;
            } else {
                existing++;
            }
        }
        ScheduleState state = locked.row().state();
        return new Changed<>(
                waiting.isEmpty() ? state : state.waiting(),
                text(by),
                waiting,
                null,
                new BackfillResult(started, waiting.size(), existing));
    }

    private static List<Instant> gap(Locked locked, Instant from, Instant to) {
        ScheduleSpec spec = locked.row().terms().spec();
        if (spec instanceof ScheduleSpec.Delay) {
            throw new IllegalArgumentException(
                    "The schedule '%s' has a fixed delay, so it has no instants of the past. Trigger it instead."
                            .formatted(locked.row().name()));
        }
        if (from.isBefore(Instant.EPOCH) || from.isAfter(to)) {
            throw new IllegalArgumentException(
                    "The backfill begins at %s and ends at %s. Give a start from 1970 or later that is not after the end."
                            .formatted(from, to));
        }
        if (to.isAfter(locked.now().plus(CLOCKS))) {
            throw new IllegalArgumentException(
                    "The backfill ends at %s, which is in the future. The current time is %s. Give an end in the past."
                            .formatted(to, locked.now()));
        }
        Instant end = to.isAfter(locked.now()) ? locked.now() : to;
        List<Instant> instants = new ArrayList<>();
        for (Instant each = ScheduleTimes.next(spec, from.minusNanos(1));
                each != null && !each.isAfter(end);
                each = ScheduleTimes.next(spec, each)) {
            instants.add(each);
            if (instants.size() > MOST_FILLED) {
                throw new IllegalArgumentException(
                        "The backfill from %s to %s has more than 1,000 instants. Divide the time into several backfills."
                                .formatted(from, to));
            }
        }
        return instants;
    }

    private boolean hasRun(ScheduleRow row, Firing firing) {
        return !runs.list(
                        new RunQuery(row.terms().run(), firing.key(), RunQuery.WITHOUT_TENANT, Set.of(), null, null, 1))
                .isEmpty();
    }

    /**
     * Returns the next instants of a schedule, as if it were not paused.
     *
     * @param name the name of the schedule
     * @param count the number of instants, at most 1,000
     * @return the instants; empty if they depend on the end of a run
     * @throws NoSuchScheduleException if there is no such schedule
     */
    public List<Instant> next(String name, int count) {
        ScheduleRow row = store.list().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new NoSuchScheduleException(name));
        List<Instant> instants = new ArrayList<>();
        boolean isDelay = row.terms().spec() instanceof ScheduleSpec.Delay;
        Instant now = store.now();
        Instant next = row.state().nextAt();
        if (row.state().pause() != null && next != null && !next.isAfter(now)) {
            next = ScheduleTimes.next(row.terms().spec(), now);
        }
        while (next != null && instants.size() < Math.min(count, MOST_NEXT)) {
            instants.add(next);
            next = isDelay ? null : ScheduleTimes.next(row.terms().spec(), next);
        }
        return instants;
    }

    /**
     * Lists all schedules, including those that no node declares.
     *
     * @return the schedules, ordered by name
     */
    public List<ScheduleView> list() {
        Set<String> known = declared.get().keySet();
        return store.list().stream()
                .map(row -> ScheduleView.of(row, known.contains(row.name())))
                .toList();
    }

    /**
     * Removes a schedule that is no longer declared. Its runs stay.
     *
     * @param name the name of the schedule
     * @param by the person who removes it
     * @return true if there was such a schedule
     * @throws IllegalArgumentException if this node declares the schedule
     */
    public boolean remove(String name, String by) {
        requireNoTransaction("Removing a schedule");
        if (declared.get().containsKey(name)) {
            throw new IllegalArgumentException(
                    "The schedule '%s' is declared on this node, which would store it again. Remove the annotation, or pause the schedule."
                            .formatted(name));
        }
        boolean removed = store.remove(name);
        if (removed) {
            logger.info("The schedule '{}' was removed by {}", name, LogText.of(by));
        }
        return removed;
    }

    private <T> T change(String activity, String name, Function<Locked, Changed<T>> change) {
        requireNoTransaction(activity);
        return store.change(name, change).orElseThrow(() -> new NoSuchScheduleException(name));
    }

    private static void requireNoTransaction(String activity) {
        if (TransactionPhase.isActive()) {
            throw new IllegalTransactionStateException(
                    "%s inside a transaction is not allowed: the change would be committed on its own, even if the transaction is rolled back. Call this method before or after the transaction."
                            .formatted(activity));
        }
    }

    private static <T extends @Nullable Object> Changed<T> unchanged(Locked locked, T value) {
        return new Changed<>(locked.row().state(), null, List.of(), null, value);
    }

    private static <T extends @Nullable Object> Changed<T> changed(ScheduleState state, String by, T value) {
        return new Changed<>(state, text(by), List.of(), null, value);
    }

    private static String text(String by) {
        return Objects.requireNonNull(StorageLimits.text(by));
    }
}
