package io.sagaspring.run.postgres;

import io.sagaspring.run.QueuePlace;
import io.sagaspring.schema.SagaSchema;

/** The parts of statements that free the permit of a run, in the statement that changes the run itself. */
final class PermitRows {

    /** The assignments that send a run back to its queue. The run needs a permit before it executes again. */
    static final String NEEDS_PERMIT = "lane = '%s' || queue, permit = NULL".formatted(QueuePlace.LANE);

    private final String permits;
    private final String keyPermits;

    PermitRows(SagaSchema schema) {
        this.permits = schema.table("saga_permit");
        this.keyPermits = schema.table("saga_key_permit");
    }

    /**
     * Returns the common table expressions that free the permits of the runs in {@code mine}, which has the columns id
     * and queue. In a write of a previous owner, {@code mine} is empty, so nothing is freed. The permit of the queue is
     * freed before the permit of the key. This causes no deadlock, because a pickup that waits for the permit of a key
     * never holds a lock that this statement waits for.
     *
     * @param which a further condition for the permit, such as its number
     */
    String freeing(String which) {
        return """
                ,
                freed AS (
                    UPDATE %s AS p SET run_id = NULL FROM mine
                    WHERE p.queue = mine.queue AND p.run_id = mine.id%s RETURNING mine.id),
                freed_of_key AS (DELETE FROM %s AS k USING freed WHERE k.run_id = freed.id)""".formatted(permits, which, keyPermits);
    }
}
