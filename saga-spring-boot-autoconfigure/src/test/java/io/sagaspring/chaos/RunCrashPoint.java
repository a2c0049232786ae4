package io.sagaspring.chaos;

import static io.sagaspring.chaos.EngineStatement.BOOKING;
import static io.sagaspring.chaos.EngineStatement.EFFECT;
import static io.sagaspring.chaos.EngineStatement.RUN_BATCH;
import static io.sagaspring.chaos.EngineStatement.RUN_CHECKPOINT;
import static io.sagaspring.chaos.EngineStatement.RUN_END;
import static io.sagaspring.chaos.EngineStatement.RUN_JOURNAL_READ;
import static io.sagaspring.chaos.EngineStatement.RUN_PICK_UP;
import static io.sagaspring.chaos.EngineStatement.RUN_RELEASE;
import static io.sagaspring.chaos.EngineStatement.RUN_RENEWAL;
import static io.sagaspring.chaos.EngineStatement.RUN_SIGNAL;
import static io.sagaspring.chaos.EngineStatement.RUN_START;
import static io.sagaspring.chaos.EngineStatement.RUN_SUSPENSION;

import io.sagaspring.chaos.HaltAtStatement.Moment;
import io.sagaspring.shop.Interference.Around;
import java.util.List;

/**
 * The points at which a node that executes an {@link Errand} may die. In the names, B means before a durable statement,
 * C between the statement and its commit, U after that commit, and D after a statement that commits by itself. E0 and
 * E1 mean before and after a side effect outside the database. At the points named BATCHED, another change of the node
 * blocks the direct writer. At the points named GIVEN_UP, the last attempt of a step has failed. At the points named
 * LABEL, the statement also writes labels. At the points named OPEN_KEY, the key is free in the commit that ends the run.
 */
enum RunCrashPoint {
    START_B(Moment.BEFORE, RUN_START),
    START_D(Moment.AFTER, RUN_START),
    PAY_B(Moment.BEFORE, RUN_CHECKPOINT),
    PAY_D(Moment.AFTER, RUN_CHECKPOINT),
    PAY_E0(Moment.BEFORE, EFFECT),
    PAY_E1(Moment.AFTER, EFFECT),
    WIRE_B(Moment.BEFORE, RUN_CHECKPOINT, RUN_CHECKPOINT),
    WIRE_D(Moment.AFTER, RUN_CHECKPOINT, RUN_CHECKPOINT),
    WIRE_E0(Moment.BEFORE, EFFECT, EFFECT),
    WIRE_E1(Moment.AFTER, EFFECT, EFFECT),
    BOOK_E1(Moment.AFTER, BOOKING),
    BOOK_B(Moment.BEFORE, BOOKING, RUN_CHECKPOINT),
    BOOK_C(Moment.AFTER, BOOKING, RUN_CHECKPOINT),
    BOOK_U(Moment.AFTER_COMMIT, BOOKING, RUN_CHECKPOINT),
    PACK_E0(Moment.BEFORE, EFFECT, EFFECT, EFFECT),
    PACK_E1(Moment.AFTER, EFFECT, EFFECT, EFFECT),
    REST_B(Moment.BEFORE, RUN_SUSPENSION),
    REST_D(Moment.AFTER, RUN_SUSPENSION),
    RESTED_B(Moment.BEFORE, RUN_SUSPENSION, RUN_PICK_UP),
    RESTED_C(Moment.AFTER, RUN_JOURNAL_READ),
    RESTED_U(Moment.AFTER_COMMIT, RUN_JOURNAL_READ),
    WORD_B(Moment.BEFORE, RUN_SUSPENSION, RUN_SUSPENSION),
    WORD_D(Moment.AFTER, RUN_SUSPENSION, RUN_SUSPENSION),
    SIGNAL_B(Moment.BEFORE, RUN_SIGNAL),
    SIGNAL_D(Moment.AFTER, RUN_SIGNAL),
    TOLD_B(Moment.BEFORE, RUN_SUSPENSION, RUN_SUSPENSION, RUN_PICK_UP),
    TOLD_C(Moment.AFTER, RUN_JOURNAL_READ, RUN_JOURNAL_READ),
    TOLD_U(Moment.AFTER_COMMIT, RUN_JOURNAL_READ, RUN_JOURNAL_READ),
    SHIP_B(Moment.BEFORE, BOOKING, BOOKING, RUN_CHECKPOINT),
    SHIP_C(Moment.AFTER, BOOKING, BOOKING, RUN_CHECKPOINT),
    SHIP_U(Moment.AFTER_COMMIT, BOOKING, BOOKING, RUN_CHECKPOINT),
    NOTIFY_E0(Moment.BEFORE, EFFECT, EFFECT, EFFECT, EFFECT),
    NOTIFY_E1(Moment.AFTER, EFFECT, EFFECT, EFFECT, EFFECT),
    RETRY_B(Moment.BEFORE, RUN_SUSPENSION, RUN_SUSPENSION, RUN_SUSPENSION),
    RETRY_D(Moment.AFTER, RUN_SUSPENSION, RUN_SUSPENSION, RUN_SUSPENSION),
    RETRY_AGAIN_B(Moment.BEFORE, RUN_SUSPENSION, RUN_SUSPENSION, RUN_SUSPENSION, RUN_PICK_UP),
    RETRY_AGAIN_C(Moment.AFTER, RUN_JOURNAL_READ, RUN_JOURNAL_READ, RUN_JOURNAL_READ),
    RETRY_AGAIN_U(Moment.AFTER_COMMIT, RUN_JOURNAL_READ, RUN_JOURNAL_READ, RUN_JOURNAL_READ),
    RETRY_E0(Moment.BEFORE, EFFECT, EFFECT, EFFECT, EFFECT, EFFECT, EFFECT),
    RETRY_E1(Moment.AFTER, EFFECT, EFFECT, EFFECT, EFFECT, EFFECT, EFFECT),
    LABEL_START_B(Moment.BEFORE, RUN_START),
    LABEL_START_D(Moment.AFTER, RUN_START),
    LABEL_PAID_B(Moment.BEFORE, RUN_CHECKPOINT, RUN_CHECKPOINT),
    LABEL_PAID_D(Moment.AFTER, RUN_CHECKPOINT, RUN_CHECKPOINT),
    LABEL_REST_B(Moment.BEFORE, RUN_SUSPENSION),
    LABEL_REST_D(Moment.AFTER, RUN_SUSPENSION),
    LABEL_END_B(Moment.BEFORE, RUN_END),
    LABEL_END_D(Moment.AFTER, RUN_END),
    GIVEN_UP_B(Moment.BEFORE, RUN_END),
    GIVEN_UP_D(Moment.AFTER, RUN_END),
    END_B(Moment.BEFORE, RUN_END),
    END_D(Moment.AFTER, RUN_END),
    OPEN_KEY_START_B(Moment.BEFORE, RUN_START),
    OPEN_KEY_START_D(Moment.AFTER, RUN_START),
    OPEN_KEY_END_B(Moment.BEFORE, RUN_END),
    OPEN_KEY_END_D(Moment.AFTER, RUN_END),
    BEAT_B(Moment.BEFORE, RUN_RENEWAL),
    BEAT_D(Moment.AFTER, RUN_RENEWAL),
    GIVE_BACK_B(Moment.BEFORE, RUN_RELEASE),
    GIVE_BACK_D(Moment.AFTER, RUN_RELEASE),
    BATCHED_PAY_B(Moment.BEFORE, RUN_BATCH),
    BATCHED_PAY_D(Moment.AFTER, RUN_BATCH),
    BATCHED_WIRE_B(Moment.BEFORE, RUN_BATCH, RUN_BATCH),
    BATCHED_WIRE_D(Moment.AFTER, RUN_BATCH, RUN_BATCH),
    BATCHED_WIRED_B(Moment.BEFORE, RUN_BATCH, RUN_BATCH, RUN_BATCH),
    BATCHED_WIRED_D(Moment.AFTER, RUN_BATCH, RUN_BATCH, RUN_BATCH),
    BATCHED_REST_B(Moment.BEFORE, BOOKING, RUN_BATCH),
    BATCHED_REST_D(Moment.AFTER, BOOKING, RUN_BATCH),
    BATCHED_WORD_B(Moment.BEFORE, BOOKING, RUN_BATCH, RUN_BATCH),
    BATCHED_WORD_D(Moment.AFTER, BOOKING, RUN_BATCH, RUN_BATCH),
    BATCHED_RETRY_B(Moment.BEFORE, BOOKING, BOOKING, RUN_BATCH, RUN_BATCH),
    BATCHED_RETRY_D(Moment.AFTER, BOOKING, BOOKING, RUN_BATCH, RUN_BATCH),
    BATCHED_END_B(Moment.BEFORE, BOOKING, BOOKING, RUN_BATCH, RUN_BATCH, RUN_BATCH, RUN_BATCH),
    BATCHED_END_D(Moment.AFTER, BOOKING, BOOKING, RUN_BATCH, RUN_BATCH, RUN_BATCH, RUN_BATCH);

    private final Moment moment;

    @SuppressWarnings("ImmutableEnumChecker") // The list is immutable.
    private final List<EngineStatement> path;

    RunCrashPoint(Moment moment, EngineStatement... path) {
        this.moment = moment;
        this.path = List.of(path);
    }

    /** Returns an interference that halts this JVM at the statement. */
    Around statements() {
        return new HaltAtStatement(moment, path.toArray(EngineStatement[]::new));
    }

    /** Returns true if the first step has to last until the node reaches the point. */
    boolean lingers() {
        return path.get(0) == RUN_RENEWAL || closes();
    }

    /** Returns true if all changes are written in batches. */
    boolean isBatched() {
        return path.contains(RUN_BATCH);
    }

    /** Returns true if the node is shut down normally and dies during the shutdown. */
    boolean closes() {
        return path.get(0) == RUN_RELEASE;
    }
}
