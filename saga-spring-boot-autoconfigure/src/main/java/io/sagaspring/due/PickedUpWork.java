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
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes the work of rows that were picked up. The heartbeat keeper renews each row until its work has ended. Then
 * the slot of the row is free again.
 *
 * @param <W> the type of a row that was picked up
 */
final class PickedUpWork<W> {

    private static final Logger logger = LoggerFactory.getLogger(Pickup.class);

    private static final int MOST_NAMED = 20;

    /** The time after which work becomes due again if it could not begin, for example because the executor has refused it. */
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

    /**
     * Passes the work to the executor. Returns null if the executor has accepted the work. Otherwise, releases the work
     * and returns the exception. The renewal of the lease begins first, because an executor may queue the work.
     */
    @Nullable
    Throwable begin(W work, Duration since) {
        Hold kept = null;
        try {
            Hold hold = keep(work, since);
            kept = hold;
            executor.execute(() -> workIn(hold, held -> source.work(work, held)));
            return null;
        } catch (RuntimeException | Error refused) {
            if (kept != null) {
                kept.close();
            }
            return released(work, refused);
        }
    }

    /**
     * Does the work on the calling thread, and frees its slot. Returns null if the work has begun. Otherwise, releases the work and
     * returns the exception.
     */
    @Nullable
    Throwable workHere(W row, Duration since, Function<Hold, Runnable> work) {
        Hold hold;
        try {
            hold = keep(row, since);
        } catch (RuntimeException | Error failed) {
            return released(row, failed);
        }
        workIn(hold, work);
        return null;
    }

    private Hold keep(W work, Duration since) {
        return keeper.keep(table, source.held(work), settings.lease(), settings.longest(), since);
    }

    private Throwable released(W work, Throwable why) {
        try {
            source.release(work, AFTER_REFUSAL);
        } catch (RuntimeException | Error failed) {
            // The row is picked up again when its lease ends.
            why.addSuppressed(failed);
        }
        return why;
    }

    private void workIn(Hold hold, Function<Hold, Runnable> work) {
        Runnable afterwards = () -> {};
        try (hold) {
            afterwards = work.apply(hold);
        } finally {
            slots.release(1);
        }
        afterwards.run();
    }

    /** Releases a row for which this node has no slot. Returns true if the release was written. */
    boolean release(W work) {
        try {
            source.release(work, Duration.ZERO);
            return true;
        } catch (RuntimeException failed) {
            logger.warn(
                    "Could not release work that the background thread saga-{} picked up and for which this node has no slot. The work will be picked up again when its lease ends",
                    settings.name(),
                    failed);
            return false;
        }
    }

    void interrupt() {
        keeper.interrupt(hold -> hold.table() == table);
    }

    /** Lists the work in progress, for the log. */
    String unended() {
        List<HeldLease> held = keeper.holds().stream()
                .filter(hold -> hold.table() == table)
                .map(Hold::held)
                .toList();
        String named = held.stream().limit(MOST_NAMED).map(source::describe).collect(Collectors.joining("; "));
        return held.size() <= MOST_NAMED ? named : named + "; and " + (held.size() - MOST_NAMED) + " more";
    }
}
