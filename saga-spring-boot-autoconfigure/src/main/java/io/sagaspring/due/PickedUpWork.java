package io.sagaspring.due;

import io.sagaspring.due.Pickup.Settings;
import io.sagaspring.due.Pickup.Source;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.RenewableLeases;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes rows that were picked up. The keeper renews each of them until its work has ended, which frees its slot.
 *
 * @param <W> a row that was picked up
 */
final class PickedUpWork<W> {

    private static final Logger logger = LoggerFactory.getLogger(Pickup.class);

    private static final int MOST_NAMED = 20;

    /** Until an executor that was full is asked again. */
    private static final Duration AFTER_REFUSAL = Duration.ofSeconds(1);

    private final Source<W> source;
    private final Keeper keeper;
    private final RenewableLeases table;
    private final Executor executor;
    private final Settings settings;
    private final Slots slots;

    PickedUpWork(
            Source<W> source, Keeper keeper, RenewableLeases table, Executor executor, Settings settings, Slots slots) {
        this.source = source;
        this.keeper = keeper;
        this.table = table;
        this.executor = executor;
        this.settings = settings;
        this.slots = slots;
    }

    /** Returns why the work could not begin, if so; then it has been given back. Kept from here on: an executor may let it wait. */
    @Nullable
    Throwable begin(W work, Duration since) {
        Hold hold = keeper.keep(table, source.held(work), settings.lease(), settings.longest(), since);
        try {
            executor.execute(() -> workIn(work, hold));
            return null;
        } catch (RuntimeException | Error refused) {
            hold.close();
            try {
                source.release(work, AFTER_REFUSAL);
            } catch (RuntimeException | Error failed) {
                // It is taken up when its lease is over. The slot is free, and what was written was written.
                refused.addSuppressed(failed);
            }
            return refused;
        }
    }

    private void workIn(W work, Hold hold) {
        Runnable tell = () -> {};
        try (hold) {
            tell = source.work(work, hold);
        } finally {
            slots.release(1);
        }
        tell.run();
    }

    /** Gives a row back for which this node has no slot. Returns whether that was written. */
    boolean release(W work) {
        try {
            source.release(work, Duration.ZERO);
            return true;
        } catch (RuntimeException failed) {
            logger.warn(
                    "Could not release {} work that this node has no slot for; it is picked up when its lease ends",
                    settings.name(),
                    failed);
            return false;
        }
    }

    void interrupt() {
        keeper.interrupt(table);
    }

    /** Says which work has not ended, for people. */
    String unended() {
        List<HeldLease> held = keeper.holds().stream()
                .filter(hold -> hold.table() == table)
                .map(Hold::held)
                .toList();
        String named = held.stream().limit(MOST_NAMED).map(source::describe).collect(Collectors.joining("; "));
        return held.size() <= MOST_NAMED ? named : named + "; and " + (held.size() - MOST_NAMED) + " more";
    }
}
