package io.sagaspring.chaos;

/** The engine's statements, each told by what only it contains. */
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
    DUE_PICK_UP,
    DUE_REMOVAL;

    boolean is(String sql) {
        return switch (this) {
            case NONE -> false;
            case CLAIM -> sql.startsWith("WITH flipped");
            case FENCE -> sql.startsWith("DELETE FROM") && sql.contains("saga_claim");
            case RENEWAL -> sql.startsWith("UPDATE") && sql.contains("saga_claim") && sql.contains("SET alive_at");
            case SEARCH_FOR_STUCK -> sql.contains("saga_claim") && sql.contains("ORDER BY alive_at");
            case LOCK_OF_STUCK ->
                sql.startsWith("SELECT 1") && sql.contains("saga_claim") && sql.endsWith("SKIP LOCKED");
            case FLIP_BACK -> sql.startsWith("UPDATE") && sql.contains("crate") && sql.contains("RETURNING");
            case DUE_PICK_UP -> sql.startsWith("WITH due");
            case DUE_REMOVAL -> sql.startsWith("DELETE FROM") && sql.contains("saga_due");
        };
    }
}
