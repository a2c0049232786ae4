package io.sagaspring.chaos;

import static io.sagaspring.chaos.EngineStatement.QUEUE_CHANGE;
import static io.sagaspring.chaos.EngineStatement.QUEUE_END;
import static io.sagaspring.chaos.EngineStatement.QUEUE_FIT;
import static io.sagaspring.chaos.EngineStatement.QUEUE_JOIN;
import static io.sagaspring.chaos.EngineStatement.QUEUE_PAUSE;
import static io.sagaspring.chaos.EngineStatement.QUEUE_PICK_UP;
import static io.sagaspring.chaos.EngineStatement.QUEUE_RECLAIM;
import static io.sagaspring.chaos.EngineStatement.QUEUE_REPLACE;
import static io.sagaspring.chaos.EngineStatement.QUEUE_START;
import static io.sagaspring.chaos.EngineStatement.QUEUE_SUSPENSION;
import static io.sagaspring.chaos.EngineStatement.RUN_SUSPENSION;

import io.sagaspring.chaos.HaltAtStatement.Moment;
import io.sagaspring.shop.Interference.Around;
import java.util.List;

/**
 * The points at which a node that executes a {@link QueueErrand} or changes a queue may die. In the names, B means
 * before a durable statement, C between the statement and its commit, U after that commit, and D after a statement that
 * commits by itself.
 */
enum QueueCrashPoint {
    QUEUED_B(Moment.BEFORE, "psp", "", QUEUE_START),
    QUEUED_D(Moment.AFTER, "psp", "", QUEUE_START),
    REPLACE_B(Moment.BEFORE, "latest", "replace", QUEUE_REPLACE),
    REPLACE_C(Moment.AFTER, "latest", "replace", QUEUE_REPLACE),
    REPLACE_U(Moment.AFTER_COMMIT, "latest", "replace", QUEUE_REPLACE),
    PERMIT_B(Moment.BEFORE, "psp", "", QUEUE_PICK_UP),
    PERMIT_C(Moment.AFTER, "psp", "", QUEUE_PICK_UP),
    PERMIT_U(Moment.AFTER_COMMIT, "psp", "", QUEUE_PICK_UP),
    PERMIT_REST_B(Moment.BEFORE, "psp", "", QUEUE_SUSPENSION),
    PERMIT_REST_D(Moment.AFTER, "psp", "", QUEUE_SUSPENSION),
    JOIN_B(Moment.BEFORE, "psp", "", QUEUE_SUSPENSION, QUEUE_JOIN),
    JOIN_D(Moment.AFTER, "psp", "", QUEUE_SUSPENSION, QUEUE_JOIN),
    PERMIT_AGAIN_C(Moment.AFTER, "psp", "", QUEUE_SUSPENSION, QUEUE_PICK_UP),
    PERMIT_AGAIN_U(Moment.AFTER_COMMIT, "psp", "", QUEUE_SUSPENSION, QUEUE_PICK_UP),
    PERMIT_END_B(Moment.BEFORE, "psp", "", QUEUE_END),
    PERMIT_END_D(Moment.AFTER, "psp", "", QUEUE_END),
    PERMIT_KEPT_B(Moment.BEFORE, "kept", "", RUN_SUSPENSION),
    PERMIT_KEPT_D(Moment.AFTER, "kept", "", RUN_SUSPENSION),
    RATED_C(Moment.AFTER, "rated", "", QUEUE_PICK_UP),
    RATED_U(Moment.AFTER_COMMIT, "rated", "", QUEUE_PICK_UP),
    PAUSE_B(Moment.BEFORE, "psp", "pause", QUEUE_PAUSE),
    PAUSE_C(Moment.AFTER, "psp", "pause", QUEUE_PAUSE),
    PAUSE_FIT_C(Moment.AFTER, "psp", "pause", QUEUE_FIT),
    PAUSE_U(Moment.AFTER_COMMIT, "psp", "pause", QUEUE_PAUSE),
    LOWER_B(Moment.BEFORE, "psp", "lower", QUEUE_CHANGE),
    LOWER_C(Moment.AFTER, "psp", "lower", QUEUE_CHANGE),
    LOWER_FIT_C(Moment.AFTER, "psp", "lower", QUEUE_FIT),
    LOWER_U(Moment.AFTER_COMMIT, "psp", "lower", QUEUE_CHANGE),
    RECLAIM_B(Moment.BEFORE, "psp", "reclaim", QUEUE_RECLAIM),
    RECLAIM_C(Moment.AFTER, "psp", "reclaim", QUEUE_RECLAIM),
    RECLAIM_U(Moment.AFTER_COMMIT, "psp", "reclaim", QUEUE_RECLAIM);

    private final Moment moment;
    private final String queue;
    private final String command;

    @SuppressWarnings("ImmutableEnumChecker") // The list is immutable.
    private final List<EngineStatement> path;

    QueueCrashPoint(Moment moment, String queue, String command, EngineStatement... path) {
        this.moment = moment;
        this.queue = queue;
        this.command = command;
        this.path = List.of(path);
    }

    /** Returns an interference that halts this JVM at the statement. */
    Around statements() {
        return new HaltAtStatement(moment, path.toArray(EngineStatement[]::new));
    }

    /** Returns true if the node dies directly after the commit in which runs have begun. */
    boolean isAfterTheBeginning() {
        return moment == Moment.AFTER_COMMIT && path.equals(List.of(QUEUE_PICK_UP));
    }

    String queue() {
        return queue;
    }

    /** Returns the command that leads the node to this point, or an empty text if it only executes runs. */
    String command() {
        return command;
    }
}
