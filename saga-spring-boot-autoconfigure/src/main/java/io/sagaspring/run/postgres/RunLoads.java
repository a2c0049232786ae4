package io.sagaspring.run.postgres;

import io.sagaspring.fence.HeldRows;
import io.sagaspring.schema.SagaSchema;
import java.time.Duration;

/** Creates the statement that counts the runs that each node is executing now. */
final class RunLoads {

    /** The largest number of runs of one lane. */
    private static final int MOST = 10_000;

    private RunLoads() {}

    /**
     * Creates the statement. It reads the index of due runs lane by lane. A run that a node executes is due when its
     * lease ends. A later due time belongs to a run that sleeps. The factor 2 allows for nodes with longer leases.
     */
    static HeldRows of(SagaSchema schema, Duration lease) {
        String runs = schema.table("saga_run");
        return new HeldRows(
                "run.loads",
                new HeldRows.Parts(
                        RunLists.names(runs, "r.due_at IS NOT NULL", RunLists.LANE),
                        """
                        SELECT f.node, f.due_at FROM names AS n, unnest(ARRAY[false]) AS lane (fresh), LATERAL (
                            SELECT r.node, r.due_at FROM %s AS r
                            WHERE %s = n.run AND (r.token IS NULL) = lane.fresh AND r.due_at > (SELECT clock_timestamp())
                                AND r.due_at <= (SELECT clock_timestamp() + 2 * %s * INTERVAL '1 millisecond')
                            ORDER BY r.due_at LIMIT %s) AS f""".formatted(runs, RunLists.LANE, lease.toMillis(), MOST),
                        "node IS NOT NULL",
                        "due_at - %s * INTERVAL '1 millisecond'".formatted(lease.toMillis())));
    }
}
