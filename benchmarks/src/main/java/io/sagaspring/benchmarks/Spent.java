package io.sagaspring.benchmarks;

import java.time.Duration;

/**
 * What this process has sent and computed, and what the server has written and computed. The difference of two is what was
 * spent in between, by whomever: who wants to know whose it is lets nobody else work meanwhile.
 *
 * @param statements that were counted on the wire: none where nothing is counted
 * @param roundTrips likewise
 * @param writes transactions that write
 * @param log bytes of the server's log
 * @param client what this process computed
 * @param database what the server's processes computed
 */
record Spent(long statements, long roundTrips, long writes, long log, Duration client, Duration database) {

    Spent minus(Spent other) {
        return new Spent(
                statements - other.statements,
                roundTrips - other.roundTrips,
                writes - other.writes,
                log - other.log,
                client.minus(other.client),
                database.minus(other.database));
    }
}
