package io.sagaspring.schedule;

import io.sagaspring.schedule.ScheduleRow.Locked;
import io.sagaspring.schedule.ScheduleRow.WaitingFiring;
import io.sagaspring.schedule.ScheduleSpec.Delay;
import io.sagaspring.schedule.ScheduleState.Skips;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a schedule does at a moment: which instants fire, which are skipped, and when it is due again. Each
 * instant fires, is skipped or waits, and an instant up to {@code lastAt} never fires again. No clock is read here: the
 * current time comes from the store.
 */
final class ScheduleDecision {

    /** The most instants that fire in one transaction. The others follow in the next one. */
    static final int MOST_AT_ONCE = 100;

    private static final String BUSY = "The run of the previous firing had not ended.";
    private static final String REPLACED = "A later instant replaced this one while the previous run had not ended.";

    private final Locked locked;
    private final Instant onTimeSince;
    private final @Nullable Previous previous;
    private final List<Start> starts = new ArrayList<>();
    private Skips skips;
    private int missed;
    private int overlapped;
    private @Nullable Instant lastAt;
    private @Nullable Instant firedAt;
    private @Nullable Instant queuedAt;
    private boolean usesWaiting;

    /**
     * The run of the previous firing.
     *
     * @param isOpen true if the run has not ended and does not wait for a person
     * @param endedAt the time at which the run ended or began to wait for a person, or null if the run is open or this
     *     time is unknown
     */
    record Previous(boolean isOpen, @Nullable Instant endedAt) {}

    /**
     * A firing to start.
     *
     * @param at the instant of the firing
     * @param triggered true if a person triggered the schedule
     * @param previous the firing before it, as in {@link Firing#previous}
     */
    record Start(Instant at, boolean triggered, @Nullable Instant previous) {}

    /**
     * The decision.
     *
     * @param starts the firings to start, in order
     * @param state the state of the schedule afterwards, without the runs that these firings start
     * @param missed the number of instants that were skipped because they were missed
     * @param overlapped the number of instants that were skipped because a run had not ended
     * @param usesWaiting true if the waiting firing that a person has requested is among the firings to start
     */
    record Result(List<Start> starts, ScheduleState state, int missed, int overlapped, boolean usesWaiting) {}

    private ScheduleDecision(Locked locked, Instant onTimeSince, @Nullable Previous previous) {
        this.locked = locked;
        this.onTimeSince = onTimeSince;
        this.previous = previous;
        this.skips = state().skips();
        this.lastAt = state().lastAt();
        this.firedAt = state().latestFiring();
        this.queuedAt = state().queuedAt();
    }

    /**
     * Decides what a locked schedule does now.
     *
     * @param locked the schedule, under its lock
     * @param onTimeSince the time before which due instants count as missed
     * @param previous the run of the previous firing, or null if there is none or that run is unknown
     */
    static Result of(Locked locked, Instant onTimeSince, @Nullable Previous previous) {
        return new ScheduleDecision(locked, onTimeSince, previous).decided();
    }

    private ScheduleState state() {
        return locked.row().state();
    }

    private ScheduleTerms terms() {
        return locked.row().terms();
    }

    private boolean isBusy() {
        return !starts.isEmpty() || (previous != null && previous.isOpen());
    }

    private Result decided() {
        if (state().pause() != null) {
            return new Result(List.of(), state(), 0, 0, false);
        }
        Instant next = terms().spec() instanceof Delay delay ? afterDelay(delay) : afterInstants();
        startWaiting();
        boolean waits = locked.waiting() != null || queuedAt != null || next == null;
        Instant fired = firedAt == null && lastAt != null ? Instant.EPOCH : firedAt;
        ScheduleState state = new ScheduleState(next, lastAt, fired, state().lastRun(), queuedAt, waits, skips, null);
        return new Result(List.copyOf(starts), state, missed, overlapped, usesWaiting);
    }

    /**
     * Fires when the pause since the end of the latest run has passed. Returns null while a run is open: the next
     * instant is known only when that run has ended.
     */
    private @Nullable Instant afterDelay(Delay delay) {
        Instant next = state().nextAt();
        if (next == null && !isBusy()) {
            Instant ended = previous == null || previous.endedAt() == null ? locked.now() : previous.endedAt();
            next = ended.plus(delay.pause());
        }
        if (next == null || next.isAfter(locked.now())) {
            return next;
        }
        if (!isBusy()) {
            fire(next);
        }
        return null;
    }

    private @Nullable Instant afterInstants() {
        Instant first = Objects.requireNonNullElse(state().nextAt(), Instant.MAX);
        if (first.isAfter(locked.now())) {
            return state().nextAt();
        }
        List<Instant> due = first.isBefore(onTimeSince) ? late(first) : from(first);
        switch (terms().overlap()) {
            case ALLOW -> due.forEach(this::fire);
            case SKIP ->
                due.forEach(each -> {
                    if (isBusy()) {
                        skip(each, BUSY);
                    } else {
                        fire(each);
                    }
                });
            case QUEUE_ONE, CANCEL -> due.forEach(this::fireOrQueue);
        }
        return ScheduleTimes.next(terms().spec(), Objects.requireNonNull(lastAt));
    }

    private List<Instant> late(Instant first) {
        return switch (terms().missed()) {
            case LATEST -> {
                Instant latest = ScheduleTimes.latest(terms().spec(), first, locked.now());
                miss(first, latest);
                yield List.of(latest);
            }
            case NONE -> missBefore(onTimeSince, first);
            case ALL -> {
                Instant oldest = locked.now().minus(terms().missedWindow());
                yield first.isBefore(oldest) ? missBefore(oldest, first) : from(first);
            }
        };
    }

    /** Skips the instants before a time, and returns the other due instants. */
    private List<Instant> missBefore(Instant time, Instant first) {
        Instant kept = ScheduleTimes.next(terms().spec(), time.minusNanos(1));
        if (kept == null || kept.isAfter(locked.now())) {
            Instant latest = ScheduleTimes.latest(terms().spec(), first, locked.now());
            miss(first, latest.plusNanos(1));
            lastAt = latest;
            return List.of();
        }
        miss(first, kept);
        return from(kept);
    }

    /** Returns the due instants from this one on. If there are too many, the next decision continues after the last of them. */
    private List<Instant> from(Instant first) {
        List<Instant> due = new ArrayList<>();
        for (Instant each = first;
                each != null && !each.isAfter(locked.now()) && due.size() < MOST_AT_ONCE;
                each = ScheduleTimes.next(terms().spec(), each)) {
            due.add(each);
        }
        return due;
    }

    private void miss(Instant first, Instant end) {
        int count = ScheduleTimes.count(terms().spec(), first, end);
        missed += count;
        skips = skips.and(
                count, "No node was up at %s, or none looked for due schedules.".formatted(first), locked.now());
    }

    private void skip(Instant instant, String why) {
        overlapped++;
        skips = skips.and(1, why, locked.now());
        if (lastAt == null || instant.isAfter(lastAt)) {
            lastAt = instant;
        }
    }

    private void fire(Instant instant) {
        start(instant);
        lastAt = instant;
    }

    private void start(Instant instant) {
        starts.add(new Start(instant, false, firedAt));
        firedAt = instant;
    }

    /**
     * Fires an instant, or lets it wait if the schedule's run has not ended or another firing already waits. If an
     * earlier instant already waits, this one takes its place: the earlier one is skipped if the run is open, and fires
     * otherwise.
     */
    private void fireOrQueue(Instant instant) {
        if (!isBusy() && queuedAt == null && locked.waiting() == null) {
            fire(instant);
            return;
        }
        if (queuedAt != null && isBusy()) {
            skip(queuedAt, REPLACED);
        } else if (queuedAt != null) {
            start(queuedAt);
        }
        queuedAt = instant;
        lastAt = instant;
    }

    /** Starts the earliest firing that waits, if no run of the schedule is open. */
    private void startWaiting() {
        if (isBusy()) {
            return;
        }
        WaitingFiring asked = locked.waiting();
        if (queuedAt != null && (asked == null || queuedAt.isBefore(asked.at()))) {
            start(queuedAt);
            queuedAt = null;
        } else if (asked != null) {
            starts.add(new Start(asked.at(), asked.triggered(), asked.triggered() ? firedAt : asked.previous()));
            usesWaiting = true;
        }
    }

    /**
     * Returns the time before which due instants count as missed. This is {@code lookedAt}, the time up to which
     * nodes have decided about all instants. If that time is unknown or less than two poll intervals ago, the result is
     * the time two poll intervals ago. The result is never longer ago than {@code onTimeWithin}.
     */
    static Instant onTimeSince(Instant now, @Nullable Instant lookedAt, Duration poll, Duration onTimeWithin) {
        Instant since = now.minus(poll.multipliedBy(2));
        if (lookedAt != null && lookedAt.isBefore(since)) {
            since = lookedAt;
        }
        Instant earliest = now.minus(onTimeWithin);
        return since.isBefore(earliest) ? earliest : since;
    }
}
