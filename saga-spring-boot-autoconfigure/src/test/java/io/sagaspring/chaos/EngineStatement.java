package io.sagaspring.chaos;

import static io.sagaspring.shop.Statements.isNamed;

/** The engine's statements: by their names, and those of runs by what only they contain. */
enum EngineStatement {
    NONE,
    CLAIM,
    /** The removal of a claim by its token: at the end of a step, of a release and of a recovery. */
    FENCE,
    RENEWAL,
    SEARCH_FOR_STUCK,
    LOCK_OF_STUCK,
    /** The flip of a locked entity, by a release or a recovery. */
    FLIP_BACK,
    DUE_LOOK,
    DUE_PICK_UP,
    DUE_REMOVAL,
    RUN_START,
    RUN_TAKE,
    /** The read of what is journaled, in the transaction that has taken something up. */
    RUN_JOURNAL_READ,
    /** Also the fence of a transactional step, where it is the last statement before the commit. */
    RUN_CHECKPOINT,
    RUN_SUSPENSION,
    RUN_END,
    RUN_GIVE_BACK,
    RUN_RENEWAL,
    /** Starts without a key that share a commit. */
    RUN_BATCHED_START,
    /** Checkpoints, suspensions and ends that share a commit. */
    RUN_BATCH,
    RUN_SIGNAL,
    /** Not the engine's: what the step of a run does elsewhere. */
    EFFECT,
    /** Not the engine's: what a transactional step writes. */
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
            case RUN_START -> sql.contains("INSERT INTO") && sql.contains("(id, run, start_key");
            case RUN_TAKE -> sql.contains("due AS MATERIALIZED") && sql.contains("saga_run");
            case RUN_JOURNAL_READ -> sql.contains("AS asked (id)");
            case RUN_CHECKPOINT -> sql.contains("mine AS MATERIALIZED") && !RUN_BATCH.is(sql);
            case RUN_SUSPENSION -> sql.contains("SET state = 'waiting'");
            case RUN_END -> sql.contains("SET state = ?");
            case RUN_GIVE_BACK -> sql.contains("SET state = 'pending', node = NULL");
            case RUN_RENEWAL -> sql.startsWith("UPDATE") && sql.contains("saga_run") && sql.contains("SKIP LOCKED");
            case RUN_BATCHED_START -> sql.contains("INSERT INTO") && sql.contains("(id, run, state, format");
            case RUN_BATCH -> sql.contains("left_there");
            case RUN_SIGNAL -> sql.contains("signals = signals + 1") && sql.contains("saga_signal");
            case EFFECT -> sql.startsWith("INSERT INTO effect");
            case BOOKING -> sql.startsWith("INSERT INTO booked");
        };
    }
}
