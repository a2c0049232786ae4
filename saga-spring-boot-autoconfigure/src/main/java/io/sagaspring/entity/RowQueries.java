package io.sagaspring.entity;

import io.sagaspring.jdbc.Sql;

/**
 * The queries for the status and version of one row.
 *
 * @param read the statement that reads the row
 * @param lock the statement that locks the row, and waits for the lock
 * @param lockIfFree the statement that locks the row unless another transaction has locked it
 */
record RowQueries(Sql read, Sql lock, Sql lockIfFree) {

    /**
     * Parses the queries.
     *
     * @param row the query for the row
     * @param oneTable true if status and version are in one table
     */
    static RowQueries of(String row, boolean oneTable) {
        // Lock both tables, because a janitor that skips locked rows must not wait when it writes to the second table.
        String locking = row + " FOR NO KEY UPDATE OF " + (oneTable ? "v" : "v, s");
        return new RowQueries(
                Sql.named("entity.read", row),
                Sql.named("entity.lock", locking),
                Sql.named("entity.lock-if-free", locking + " SKIP LOCKED"));
    }
}
