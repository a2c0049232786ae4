package io.sagaspring.schedule;

import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.Loop;
import io.sagaspring.fence.Loops;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunEvent;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunListener;
import io.sagaspring.run.RunStore;
import io.sagaspring.schedule.ScheduleStore.Known;
import io.sagaspring.schedule.ScheduleStore.Look;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * Fires the schedules of this node, from {@link #open} until {@link #close()}. Applications call {@link Schedules} instead.
 *
 * <ol>
 *   <li>{@link #requireSchedules()} reads the annotations, and throws an exception if a schedule could not fire as declared.
 *   <li>{@link #open} starts a thread, which stores the schedules, and then looks for due ones: when the next one is due, when a run of a
 *       schedule has ended here, and after each poll interval. Without schedules, there is no thread.
 * </ol>
 *
 * @since 0.1.0
 */
public final class ScheduleEngine implements RunListener, AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(ScheduleEngine.class);

    /** The most schedules that fire in one transaction. */
    private static final int MOST_AT_ONCE = 100;

    private static final Duration LATE = Duration.ofSeconds(10);
    private static final Duration AFTER_OTHERS = Duration.ofMillis(50);
    private static final Duration TO_END = Duration.ofSeconds(5);
    private static final Duration SILENCE = Duration.ofMinutes(1);

    private final ScheduleStore store;
    private final Supplier<ScheduleCatalog> catalog;

    /** The names of the runs that the schedules of this node start. */
    private final Supplier<Set<String>> scheduledRuns;

    private final Supplier<RunEngine> engine;
    private final ScheduleFirer firer;
    private final Settings settings;
    private final Schedules schedules;
    private final Semaphore woken = new Semaphore(0);
    private volatile @Nullable Loop loop;
    private volatile @Nullable Loops loops;
    private volatile @Nullable Loop ending;
    private boolean isDeclared;

    /**
     * The database time up to which nodes have decided about all instants, or null if this node does not know it. If a
     * search finds no due schedule, this is the time of that search. If it finds only instants after the preceding
     * search, this is the time of the preceding search.
     */
    private @Nullable Instant lookedAt;

    /** The database time of the latest search, or the time directly before this node declared its schedules. */
    private @Nullable Instant latestLookAt;

    /** The database time of the first search for due schedules, or null if there was none. */
    private @Nullable Instant firstLookAt;

    /**
     * The settings of an engine.
     *
     * @param node the name of this node
     * @param poll the interval between two searches for due schedules
     * @param onTimeWithin the greatest delay of a firing that does not count as missed, if this node was up
     * @param patience the time during which a node that has just started fires no late instants, because a node that
     *     was up before may only be slow
     */
    public record Settings(String node, Duration poll, Duration onTimeWithin, Duration patience) {

        private static final Duration PATIENCE = Duration.ofSeconds(3);

        /**
         * Creates settings with a patience of 3 s, or of two poll intervals if they are longer.
         *
         * @param node the name of this node
         * @param poll the interval between two searches for due schedules
         * @param onTimeWithin the greatest delay of a firing that does not count as missed, if this node was up
         */
        public Settings(String node, Duration poll, Duration onTimeWithin) {
            this(
                    node,
                    poll,
                    onTimeWithin,
                    poll.multipliedBy(2).compareTo(PATIENCE) > 0 ? poll.multipliedBy(2) : PATIENCE);
        }
    }

    /**
     * The components of an engine.
     *
     * @param store the store of the schedules
     * @param runs the store of the runs
     * @param catalog the function that reads the schedules of this node; called once
     * @param engine the supplier of the engine that executes the runs
     * @param listeners the supplier of the listeners; called at the first firing
     */
    public record Parts(
            ScheduleStore store,
            RunStore runs,
            Supplier<ScheduleCatalog> catalog,
            Supplier<RunEngine> engine,
            Supplier<List<ScheduleListener>> listeners) {}

    /**
     * Creates an engine that fires nothing yet.
     *
     * @param parts the components of the engine
     * @param settings the settings of the engine
     */
    public ScheduleEngine(Parts parts, Settings settings) {
        this.store = parts.store();
        this.catalog = SingletonSupplier.of(parts.catalog());
        this.scheduledRuns = SingletonSupplier.of(
                () -> terms().values().stream().map(ScheduleTerms::run).collect(Collectors.toUnmodifiableSet()));
        this.engine = parts.engine();
        this.settings = settings;
        this.firer = new ScheduleFirer(store, parts.runs(), engine, SingletonSupplier.of(parts.listeners()));
        this.schedules = new Schedules(store, firer, parts.runs(), this::terms, this::wake);
    }

    /**
     * Returns the API for applications.
     *
     * @return the API; always the same object
     */
    public Schedules schedules() {
        return schedules;
    }

    /**
     * Returns the longest delay of a due schedule that the health indicator does not report.
     *
     * @return five poll intervals, but at least 10 s
     */
    public Duration overdueAfter() {
        Duration several = settings.poll().multipliedBy(5);
        return several.compareTo(LATE) > 0 ? several : LATE;
    }

    /**
     * Reads the schedules of this node, unless they were already read.
     *
     * @throws io.sagaspring.startup.StartupFaultException if the schedules have faults
     */
    public void requireSchedules() {
        Map<String, ScheduleTerms> unused = terms();
    }

    private Map<String, ScheduleTerms> terms() {
        return catalog.get().terms();
    }

    /**
     * Starts to fire schedules. Does nothing if there are none on this node.
     *
     * @param registry the registry of this node's loops
     */
    public synchronized void open(Loops registry) {
        if (loop != null || terms().isEmpty()) {
            return;
        }
        loops = registry;
        loop = registry.start(
                new Loop.Settings(
                        "saga-schedules",
                        Duration.ZERO,
                        settings.poll(),
                        settings.poll().multipliedBy(2).plus(SILENCE)),
                this::turn,
                failed -> logger.warn(
                        "Looking for due schedules failed. The next attempt follows in {}",
                        DurationText.of(settings.poll()),
                        failed));
    }

    /** Stops firing schedules. Runs in progress continue. */
    public synchronized void stop() {
        Loop running = loop;
        Loops registry = loops;
        loop = null;
        if (running != null && registry != null) {
            registry.forget(running);
            wake();
            ending = running;
        }
    }

    /** Stops firing schedules. Waits up to 5 s for firings that are in progress. */
    @Override
    public void close() {
        stop();
        Loop last = ending;
        try {
            if (last != null && !last.awaitEnd(TO_END)) {
                logger.warn(
                        "Stopping while schedules are firing. Another node will repeat the firings that are not committed");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Duration turn() throws InterruptedException {
        Duration pause = settings.poll();
        Look look = look();
        int changed = look.isDue() || look.waits() ? fire(look) : 0;
        if (look.isDue()) {
            pause = changed > 0 ? Duration.ZERO : AFTER_OTHERS;
        } else if (look.untilDue() != null) {
            pause = look.untilDue();
        }
        await(pause);
        return Duration.ZERO;
    }

    /**
     * Fires the due schedules on the calling thread. Repeats this until no schedule changes any more.
     *
     * @return the number of changes; a schedule that has changed twice counts twice
     */
    public int sweep() {
        int all = 0;
        for (int changed = -1; changed != 0; all += Math.max(0, changed)) {
            Look look = look();
            changed = look.isDue() || look.waits() ? fire(look) : 0;
        }
        return all;
    }

    private Look look() {
        if (!isDeclared) {
            latestLookAt = store.now();
            terms().forEach(this::declare);
            isDeclared = true;
        }
        Look look = store.look(known(), settings.poll());
        if (firstLookAt == null) {
            firstLookAt = look.now();
        }
        if (!look.isDue()) {
            lookedAt = look.now();
        } else if (latestLookAt != null && look.earliest().isAfter(latestLookAt)) {
            lookedAt = latestLookAt;
        }
        latestLookAt = look.now();
        return look;
    }

    private int fire(Look look) {
        return firer.fire(
                known(),
                MOST_AT_ONCE,
                ScheduleDecision.onTimeSince(look.now(), lookedAt, settings.poll(), settings.onTimeWithin()),
                knowsThatNobodyFires(look.now()));
    }

    /** Returns true if this node may fire late instants: another node that was up would have fired them by now. */
    private boolean knowsThatNobodyFires(Instant now) {
        return lookedAt != null || (firstLookAt != null && !now.isBefore(firstLookAt.plus(settings.patience())));
    }

    private Known known() {
        return new Known(terms().keySet(), engine.get().names(), engine.get().queueNames());
    }

    /**
     * Stores a schedule. If the schedule is new or its times have changed, its next instant is after the database's
     * current time, and after the latest instant that fired, was skipped or waits. So a deployment never fires an
     * instant of the past.
     */
    private void declare(String name, ScheduleTerms terms) {
        boolean isNew = store.declare(name, terms, settings.node(), (before, now) -> first(terms, before, now));
        if (isNew) {
            logger.info("The schedule '{}' is now declared as {}", name, terms);
        }
    }

    static ScheduleState first(ScheduleTerms terms, @Nullable ScheduleRow before, Instant now) {
        if (before == null) {
            return ScheduleState.beginningAt(ScheduleTimes.next(terms.spec(), now));
        }
        ScheduleState state = before.state();
        if (before.terms().spec().equals(terms.spec())) {
            return state;
        }
        Instant last = state.lastAt();
        return state.nextAt(ScheduleTimes.next(terms.spec(), last == null || last.isBefore(now) ? now : last));
    }

    private void wake() {
        woken.release();
    }

    /**
     * Waits until the next search for due schedules. The poll interval is shortened at random, so that the nodes do not
     * search at the same time.
     */
    private void await(Duration pause) throws InterruptedException {
        long longest = settings.poll().toMillis();
        long jittered = longest - ThreadLocalRandom.current().nextLong(longest / 4 + 1);
        boolean unused = woken.tryAcquire(Math.min(jittered, pause.toMillis() + 1), TimeUnit.MILLISECONDS);
        woken.drainPermits();
    }

    /** Looks for due schedules immediately after the end of a run, because a firing may wait for that end. */
    @Override
    public void happened(String run, RunId id, RunEvent event) {
        boolean ends = event == RunEvent.COMPLETED || event == RunEvent.FAILED || event == RunEvent.CANCELLED;
        if (ends && loop != null && scheduledRuns.get().contains(run)) {
            wake();
        }
    }

    @Override
    public boolean needsTenant() {
        return false;
    }
}
