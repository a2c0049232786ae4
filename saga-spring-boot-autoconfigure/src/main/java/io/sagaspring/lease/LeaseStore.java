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
 * Where leases are kept. Every method is atomic, by the clock of the store. An implementation proves itself with the
 * contract test that comes with the library.
 *
 * @since 0.1.0
 */
public interface LeaseStore extends RenewableLeases {

    /**
     * What is known of a name.
     *
     * @param token the latest one
     * @param attempt who got it
     * @param completion how the work came to its end, or null
     * @param left how long it is held, not positive where it is free
     */
    record Found(FencingToken token, UUID attempt, @Nullable Completion completion, Duration left) {

        /**
         * Whether nobody else may have it.
         *
         * @return whether it is held or at its end
         */
        public boolean isTaken() {
            return completion != null || (!left.isNegative() && !left.isZero());
        }
    }

    /**
     * Keeps leases in memory, for tests and for applications that will never have a second process. Exact, and gone with it.
     *
     * @param ticks its clock
     * @param retention how long a name is known that nobody uses any more
     * @return an empty store
     */
    static LeaseStore inMemory(ElapsedClock ticks, Duration retention) {
        return new MemoryLeaseStore(ticks, retention);
    }

    /**
     * Keeps leases in the database of the application.
     *
     * @param schema holds the table
     * @param own transactions over its data source
     * @param dataSource in whose transactions it takes part
     * @param retention how long a name is known that nobody uses any more
     * @return the store
     */
    static LeaseStore onPostgres(SagaSchema schema, OwnTransactions own, DataSource dataSource, Duration retention) {
        return new PostgresLeaseStore(schema, own, dataSource, retention);
    }

    /**
     * Who asks, and for how long.
     *
     * @param id another one for each attempt; the same where an answer was lost
     * @param node the node's name, as it shows to people
     * @param ttl how long the holder may be silent
     */
    record Attempt(UUID id, String node, Duration ttl) {}

    /**
     * Takes a name that is free, with a token that is greater than every earlier one, or tells who has it. To ask again
     * with the same attempt does no harm.
     *
     * @param name what to take
     * @param attempt who asks
     * @return what is known now; taken by this attempt if it has its id
     */
    Found acquire(LeaseName name, Attempt attempt);

    /**
     * What is known of a name. Inside a transaction that the store takes part in it stays so until that ends.
     *
     * @param name the name
     * @return nothing if it is not known, or not any more
     */
    Optional<Found> look(LeaseName name);

    /**
     * Prolongs a lease that has not expired.
     *
     * @param name what is held
     * @param token its holder's
     * @return whether it is still held
     */
    boolean renew(LeaseName name, FencingToken token);

    /**
     * Takes up again what nobody else has acquired since, expired or not, with the token that it had.
     *
     * @param name what was held
     * @param token its holder's
     * @param ttl how long the holder may be silent
     * @return whether it is held again
     */
    boolean reattach(LeaseName name, FencingToken token, Duration ttl);

    /**
     * Gives a name up. Its next holder gets a greater token all the same.
     *
     * @param name what is held
     * @param token its holder's
     * @return whether it was held
     */
    boolean release(LeaseName name, FencingToken token);

    /**
     * Ends the work on a name for good. To say it again with the same token does no harm.
     *
     * @param name what was acquired
     * @param token the latest one
     * @param completion how it came to its end
     * @return whether it is ended so by this token
     */
    boolean complete(LeaseName name, FencingToken token, Completion completion);

    /**
     * Forgets names that are free, or at their end, for longer than the store keeps them.
     *
     * @param limit how many at most
     * @return how many, 0 where the store forgets by itself
     */
    int purge(int limit);
}
