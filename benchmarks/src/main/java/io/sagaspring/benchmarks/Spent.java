package io.sagaspring.benchmarks;

import java.time.Duration;

/**
 * The resources that this process and the server have spent so far. The difference of two values is the amount that all
 * contenders together have spent in between. To measure one contender, run no other contender at the same time.
 *
 * @param statements the number of statements, or 0 if they are not counted on the wire
 * @param roundTrips the number of round trips, or 0 if they are not counted on the wire
 * @param writes the number of transactions that have written
 * @param log the number of bytes in the server's write-ahead log
 * @param client the processor time of this process
 * @param database the processor time of the server's processes
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
