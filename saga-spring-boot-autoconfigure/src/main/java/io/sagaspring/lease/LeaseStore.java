package io.sagaspring.lease;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.RenewableLeases;
import io.sagaspring.schema.SagaSchema;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Stores leases. Every method is atomic and uses the store's clock. An implementation must pass the contract test
 * {@code LeaseStoreContract} of this library.
 *
 * @since 0.1.0
 */
public interface LeaseStore extends RenewableLeases {

    /**
     * The state of a name.
     *
     * @param token the latest token
     * @param attempt the id of the attempt that received this token, if the store still knows it
     * @param completion the completion of the work, or null if the work is not complete
     * @param remaining the time until the lease expires; zero or negative if the name is free or the work is complete
     */
    record Found(FencingToken token, UUID attempt, @Nullable Completion completion, Duration remaining) {

        /**
         * Returns true if the name cannot be acquired now.
         *
         * @return true if the name has an owner, or if the work under it is complete
         */
        public boolean isTaken() {
            return completion != null || (!remaining.isNegative() && !remaining.isZero());
        }
    }

    /**
     * Creates a store in memory, for tests and for applications that never have a second process. The leases end with
     * the process.
     *
     * @param ticks the clock of the store
     * @param retention the time after which an unused name is removed
     * @return an empty store
     */
    static LeaseStore inMemory(ElapsedClock ticks, Duration retention) {
        return new MemoryLeaseStore(ticks, retention);
    }

    /**
     * Creates a store in the application's database.
     *
     * @param schema the schema that contains the table of the leases
     * @param own the runner of the store's own transactions on the data source
     * @param dataSource the data source whose transactions the store joins
     * @param retention the time after which an unused name is removed
     * @return the store
     */
    static LeaseStore onPostgres(SagaSchema schema, OwnTransactions own, DataSource dataSource, Duration retention) {
        return new PostgresLeaseStore(schema, own, dataSource, retention);
    }

    /**
     * An attempt to acquire a lease.
     *
     * @param id the id of the attempt: new for each attempt, but the same when an attempt is repeated after a lost
     *     reply
     * @param node the display name of the node
     * @param ttl the duration of the lease after its last heartbeat
     */
    record Attempt(UUID id, String node, Duration ttl) {}

    /**
     * Acquires a lease if it is free, with a token greater than every earlier token. Repeating the call with the same
     * attempt has no further effect.
     *
     * @param name the name of the lease
     * @param attempt the attempt
     * @return the current state; if it contains the id of this attempt, this attempt has acquired the lease
     */
    Found acquire(LeaseName name, Attempt attempt);

    /**
     * Finds the state of a name. Inside a read-write transaction that the store joins, the state does not change until
     * the transaction ends.
     *
     * @param name the name of the lease
     * @return the state, or empty if the name is unknown or was removed
     */
    Optional<Found> find(LeaseName name);

    /**
     * Renews a lease that has not expired.
     *
     * @param name the name of the lease
     * @param token the token of the owner
     * @return true if the lease is still held
     */
    boolean renew(LeaseName name, FencingToken token);

    /**
     * Continues a lease with the same token, even if it has expired, unless another caller has since acquired it or the
     * work is complete.
     *
     * @param name the name of the lease
     * @param token the token of the owner
     * @param ttl the duration of the lease after its last heartbeat
     * @return true if the lease is held again
     */
    boolean reattach(LeaseName name, FencingToken token, Duration ttl);

    /**
     * Releases a lease. The next owner still gets a greater token.
     *
     * @param name the name of the lease
     * @param token the token of the owner
     * @return true if the lease was held
     */
    boolean release(LeaseName name, FencingToken token);

    /**
     * Completes the work under a name. The name cannot be acquired again until it is {@linkplain #purge removed} after
     * the retention. Repeating the call with the same token and completion has no further effect.
     *
     * @param name the name of the lease
     * @param token the latest token
     * @param completion the completion to record
     * @return true if the work is complete with this token and this completion
     */
    boolean complete(LeaseName name, FencingToken token, Completion completion);

    /**
     * Removes names that have been free, or complete, for longer than the store's retention.
     *
     * @param limit the maximum number of names to remove
     * @return the number of removed names, always 0 if the store removes them on its own
     */
    int purge(int limit);
}
