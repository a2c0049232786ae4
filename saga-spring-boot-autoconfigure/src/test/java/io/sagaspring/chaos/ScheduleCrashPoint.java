package io.sagaspring.chaos;

import static io.sagaspring.chaos.EngineStatement.RUN_END;
import static io.sagaspring.chaos.EngineStatement.RUN_START;
import static io.sagaspring.chaos.EngineStatement.SCHEDULE_ADD;
import static io.sagaspring.chaos.EngineStatement.SCHEDULE_INSERT;
import static io.sagaspring.chaos.EngineStatement.SCHEDULE_WRITE;

import io.sagaspring.chaos.HaltAtStatement.Moment;
import io.sagaspring.shop.Interference.Around;
import java.util.List;

/**
 * The points at which a node that fires a schedule may die. In the names, B means before the last statement, S after
 * the start of the run, C between the last statement and its commit, U after that commit, and D after a statement that
 * commits by itself.
 */
enum ScheduleCrashPoint {
    DECLARE_B(Work.ALLOW, Moment.BEFORE, SCHEDULE_INSERT),
    DECLARE_C(Work.ALLOW, Moment.AFTER, SCHEDULE_INSERT),
    DECLARE_U(Work.ALLOW, Moment.AFTER_COMMIT, SCHEDULE_INSERT),
    FIRE_B(Work.ALLOW, Moment.BEFORE, RUN_START),
    FIRE_S(Work.ALLOW, Moment.AFTER, RUN_START),
    FIRE_C(Work.ALLOW, Moment.AFTER, SCHEDULE_WRITE),
    FIRE_U(Work.ALLOW, Moment.AFTER_COMMIT, SCHEDULE_WRITE),
    QUEUE_C(Work.QUEUE_ONE, Moment.AFTER, RUN_START, SCHEDULE_WRITE, SCHEDULE_WRITE),
    QUEUE_U(Work.QUEUE_ONE, Moment.AFTER_COMMIT, RUN_START, SCHEDULE_WRITE, SCHEDULE_WRITE),
    /** The last run has ended, and the firing that waits for this end has not started its run. */
    FOLLOW_B(Work.QUEUE_ONE, Moment.AFTER, RUN_START, SCHEDULE_WRITE, SCHEDULE_WRITE, RUN_END),
    FOLLOW_C(Work.QUEUE_ONE, Moment.AFTER, RUN_START, SCHEDULE_WRITE, RUN_START, SCHEDULE_WRITE),
    FOLLOW_U(Work.QUEUE_ONE, Moment.AFTER_COMMIT, RUN_START, SCHEDULE_WRITE, RUN_START, SCHEDULE_WRITE),
    BACKFILL_B(Work.BACKFILL, Moment.AFTER, SCHEDULE_ADD),
    BACKFILL_C(Work.BACKFILL, Moment.AFTER, SCHEDULE_ADD, SCHEDULE_ADD, SCHEDULE_ADD),
    BACKFILL_U(Work.BACKFILL, Moment.AFTER_COMMIT, SCHEDULE_ADD, SCHEDULE_ADD, SCHEDULE_ADD),
    LATER_B(Work.LATER, Moment.BEFORE, RUN_START),
    LATER_D(Work.LATER, Moment.AFTER, RUN_START);

    /** The work of the node when it dies. */
    enum Work {
        /** Starts runs that may overlap. */
        ALLOW,
        /** Starts runs that wait for each other. */
        QUEUE_ONE,
        /** Fires the schedule for three instants of the past, one after the other. */
        BACKFILL,
        /** Starts a run that begins later. */
        LATER
    }

    private final Work work;
    private final Moment moment;

    @SuppressWarnings("ImmutableEnumChecker") // The list is immutable.
    private final List<EngineStatement> path;

    ScheduleCrashPoint(Work work, Moment moment, EngineStatement... path) {
        this.work = work;
        this.moment = moment;
        this.path = List.of(path);
    }

    Work work() {
        return work;
    }

    /** Returns an interference that halts this JVM at the statement. */
    Around statements() {
        return new HaltAtStatement(moment, path.toArray(EngineStatement[]::new));
    }
}
