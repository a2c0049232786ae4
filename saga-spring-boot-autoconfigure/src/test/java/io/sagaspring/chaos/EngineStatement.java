package io.sagaspring.chaos;

import static io.sagaspring.shop.Statements.isNamed;
import static io.sagaspring.shop.Statements.named;

/** The engine's statements, by their names. */
enum EngineStatement {
    NONE,
    CLAIM,
    /** Removes a claim by its token, at the end of a step, of a release and of a revert by the janitor. */
    FENCE,
    RENEWAL,
    SEARCH_FOR_STUCK,
    LOCK_OF_STUCK,
    /** Flips a locked entity, for a release or for the janitor. */
    FLIP_BACK,
    DUE_LOOK,
    DUE_PICK_UP,
    DUE_REMOVAL,
    RUN_START,
    RUN_PICK_UP,
    /** Reads the journals, in the transaction that has picked up the runs. */
    RUN_JOURNAL_READ,
    /** A checkpoint, or the fence of a transactional step as the last statement before the commit. */
    RUN_CHECKPOINT,
    RUN_SUSPENSION,
    RUN_END,
    RUN_RELEASE,
    RUN_RENEWAL,
    /** The starts of several runs without keys, in one commit. */
    RUN_BATCHED_START,
    /** The checkpoints, suspensions and ends of several runs, in one commit. */
    RUN_BATCH,
    RUN_SIGNAL,
    SCHEDULE_INSERT,
    SCHEDULE_WRITE,
    /** Adds a firing that a person asked for. */
    SCHEDULE_ADD,
    QUEUE_START,
    /** Starts a run of a queue, or replaces the input of one that has not begun. */
    QUEUE_REPLACE,
    QUEUE_JOIN,
    QUEUE_PICK_UP,
    QUEUE_SUSPENSION,
    QUEUE_END,
    QUEUE_PAUSE,
    QUEUE_CHANGE,
    /** Gives a queue as many permits as its limit allows. */
    QUEUE_FIT,
    QUEUE_RECLAIM,
    DELIVERY_INSERT,
    DELIVERY_PICK_UP,
    DELIVERY_DONE,
    DELIVERY_FAILED,
    /** The side effect of a step outside the database. The engine does not send this statement. */
    EFFECT,
    /** The write of a transactional step. The engine does not send this statement. */
    BOOKING;

    boolean is(String sql) {
        return switch (this) {
            case NONE -> false;
            case CLAIM -> isNamed(sql, "claim.flip");
            case FENCE -> isNamed(sql, "claim.remove");
            case RENEWAL -> isNamed(sql, "claim.renew");
            case SEARCH_FOR_STUCK -> isNamed(sql, "claim.silent");
            case LOCK_OF_STUCK -> isNamed(sql, "claim.lock-silent");
            case FLIP_BACK -> isNamed(sql, "entity.flip");
            case DUE_LOOK -> isNamed(sql, "due.look");
            case DUE_PICK_UP -> isNamed(sql, "due.pick");
            case DUE_REMOVAL -> isNamed(sql, "due.done");
            case RUN_START -> isNamed(sql, "run.start");
            case RUN_PICK_UP -> named("run.pick", "run.pick-one").test(sql);
            case RUN_JOURNAL_READ -> isNamed(sql, "run.journals");
            case RUN_CHECKPOINT -> named("run.checkpoint", "run.conclude").test(sql);
            case RUN_SUSPENSION -> isNamed(sql, "run.suspend");
            case RUN_END -> isNamed(sql, "run.end");
            case RUN_RELEASE -> isNamed(sql, "run.give-back");
            case RUN_RENEWAL -> isNamed(sql, "run.renew");
            case RUN_BATCHED_START -> isNamed(sql, "run.start-many");
            case RUN_BATCH -> isNamed(sql, "run.write-many");
            case RUN_SIGNAL -> named("run.signal", "run.reply").test(sql);
            case SCHEDULE_INSERT -> isNamed(sql, "schedule.insert");
            case SCHEDULE_WRITE -> isNamed(sql, "schedule.write");
            case SCHEDULE_ADD -> isNamed(sql, "schedule.add-firing");
            case QUEUE_START -> isNamed(sql, "queue.start");
            case QUEUE_REPLACE -> isNamed(sql, "queue.replace");
            case QUEUE_JOIN -> isNamed(sql, "queue.join");
            case QUEUE_PICK_UP -> isNamed(sql, "queue.pick");
            case QUEUE_SUSPENSION -> isNamed(sql, "queue.suspend");
            case QUEUE_END -> isNamed(sql, "queue.end");
            case QUEUE_PAUSE -> isNamed(sql, "queue.pause");
            case QUEUE_CHANGE -> isNamed(sql, "queue.change");
            case QUEUE_FIT -> isNamed(sql, "queue.fit");
            case QUEUE_RECLAIM -> isNamed(sql, "queue.reclaim");
            case DELIVERY_INSERT -> isNamed(sql, "delivery.insert");
            case DELIVERY_PICK_UP -> isNamed(sql, "delivery.pick");
            case DELIVERY_DONE -> isNamed(sql, "delivery.done");
            case DELIVERY_FAILED -> isNamed(sql, "delivery.failed");
            case EFFECT -> sql.startsWith("INSERT INTO effect");
            case BOOKING -> sql.startsWith("INSERT INTO booked");
        };
    }

    /** Returns a statement that picks up only those due runs that meet a further condition. */
    static String pickingUpOnly(String condition, String sql) {
        String restricted = sql.replaceAll("(?:r\\.)?due_at (?:<= \\(SELECT|BETWEEN)", condition + " AND $0");
        if (restricted.equals(sql)) {
            throw new IllegalStateException("The condition for due runs was not found in: " + sql);
        }
        return restricted;
    }
}
