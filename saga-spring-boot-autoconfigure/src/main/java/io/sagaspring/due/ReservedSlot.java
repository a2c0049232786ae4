package io.sagaspring.due;

import io.sagaspring.fence.Hold;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reserved slot of a {@link Pickup} for one row.
 *
 * @param <W> the type of a row that was picked up
 * @since 0.1.0
 */
public final class ReservedSlot<W> {

    private static final Logger logger = LoggerFactory.getLogger(Pickup.class);

    private final Slots slots;
    private final Slots.Reservation reservation;
    private final PickedUpWork<W> pickedUp;
    private final Runnable wake;
    private final String name;

    /**
     * Creates a slot that is not reserved yet.
     *
     * @param wake the action that makes this node look for due rows
     * @param name the name of the pickup, for the log
     */
    ReservedSlot(Slots slots, PickedUpWork<W> pickedUp, Runnable wake, String name) {
        this.slots = slots;
        this.reservation = slots.new Reservation();
        this.pickedUp = pickedUp;
        this.wake = wake;
        this.name = name;
    }

    /** Reserves the slot. Returns false if no slot is free. */
    boolean reserve() {
        return reservation.begin();
    }

    /**
     * Starts the work of a row that was inserted after the slot was reserved.
     *
     * @param work the row
     */
    public void begin(W work) {
        if (isUsableFor(work)) {
            freeUnlessBegun(pickedUp.begin(work, reservation.since()));
        }
    }

    private void freeUnlessBegun(@Nullable Throwable refused) {
        if (refused != null) {
            slots.release(1);
            logger.warn(
                    "Work for which the background thread saga-{} had reserved a slot could not begin. It is picked up again soon, or when its lease has expired",
                    name,
                    refused);
        }
    }

    /**
     * Does the work of a row on the calling thread, frees the slot, and runs the action that the work has returned. If
     * the work cannot begin, any node picks it up later.
     *
     * @param row the row, which was inserted after the slot was reserved
     * @param work the function that does the work, writes its outcome, and returns an action to run after the slot is
     *     freed
     */
    public void workHere(W row, Function<Hold, Runnable> work) {
        if (isUsableFor(row)) {
            freeUnlessBegun(pickedUp.workHere(row, reservation.since(), work));
        }
    }

    /** Assigns the slot to a row. If another row has taken the slot and none is free, releases the row. */
    private boolean isUsableFor(W work) {
        if (reservation.use()) {
            return true;
        }
        if (pickedUp.release(work)) {
            wake.run();
        }
        return false;
    }

    /**
     * Picks up a row and starts its work. If there is no row, frees the slot.
     *
     * @param taking the supplier that picks up the row, or returns empty
     */
    public void beginIfAny(Supplier<Optional<W>> taking) {
        Optional<W> taken;
        try {
            taken = taking.get();
        } catch (Throwable failed) {
            release();
            throw failed;
        }
        if (taken.isPresent()) {
            begin(taken.get());
        } else {
            release();
        }
    }

    /** Frees the slot if it is still reserved. */
    public void release() {
        reservation.release();
    }
}
