package io.sagaspring.idempotency;

import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where keys are kept.
 *
 * @since 0.1.0
 */
public final class KeyStore {

    private static final Logger logger = LoggerFactory.getLogger(KeyStore.class);

    private final KeyTable table;
    private final OwnTransactions own;
    private final KeySettings settings;
    private final List<KeyListener> listeners;
    private final KeyQuota quota;

    /**
     * The keys in this schema.
     *
     * @param schema holds the table
     * @param node the name of this node, as it shows to people
     * @param own transactions over the schema's data source
     * @param settings what may be set
     * @param listeners are told what becomes of keys
     */
    public KeyStore(
            SagaSchema schema,
            String node,
            OwnTransactions own,
            KeySettings settings,
            Collection<KeyListener> listeners) {
        this(schema, node, own, settings, listeners, 0);
    }

    /**
     * The keys in this schema, of which no owner has more than so many.
     *
     * @param schema holds the table
     * @param node the name of this node, as it shows to people
     * @param own transactions over the schema's data source
     * @param settings what may be set
     * @param listeners are told what becomes of keys
     * @param maxKeysPerOwner how many keys one owner may have, or 0 for no limit
     */
    public KeyStore(
            SagaSchema schema,
            String node,
            OwnTransactions own,
            KeySettings settings,
            Collection<KeyListener> listeners,
            int maxKeysPerOwner) {
        this.quota = new KeyQuota(maxKeysPerOwner);
        this.table = new KeyTable(schema, node, settings.retention(), settings.lease());
        this.own = own;
        this.settings = settings;
        this.listeners = List.copyOf(listeners);
    }

    /**
     * Removes some keys that are too old. Any number of nodes may do so at once.
     *
     * @param limit how many at most
     * @return how many
     */
    public int purge(int limit) {
        return own.single(connection -> table.purge(connection, limit));
    }

    /** The statement that removes keys, to have it explained. */
    String purge() {
        return table.purge();
    }

    /** Counts the keys of each owner, where there is a limit. To be called about once a minute. */
    public void count() {
        if (quota.isLimited()) {
            quota.set(own.single(connection -> table.count(connection, quota.most())));
        }
    }

    /**
     * Returns the disk space of the keys in the database, with their replies and indexes.
     *
     * @return bytes
     */
    public long bytes() {
        return own.single(table::bytes);
    }

    /** Claims the key in a commit of its own, or finds who has it. Empty if another claim was committed meanwhile. */
    Optional<KeyTable.Found> claim(KeyTable.Slot slot, UUID attempt, Duration patience) {
        // The attempt's name tells a claim of ours whose answer was lost from one of somebody else.
        return own.repeatable(
                () -> "Claiming the " + slot.key(), connection -> claim(connection, slot, attempt, patience));
    }

    /** Claims the key in the transaction of this connection, or finds who has it. */
    Optional<KeyTable.Found> claim(Connection connection, KeyTable.Slot slot, UUID attempt, Duration patience)
            throws SQLException {
        return table.claim(connection, slot, attempt, patience);
    }

    /** Stores the reply in a commit of its own, unless the claim was taken over. */
    boolean complete(KeyTable.Found claim, StoredReply reply) {
        return own.single(connection -> table.complete(connection, claim, reply));
    }

    /** Gives the claim up in a commit of its own, unless it was taken over. */
    boolean release(KeyTable.Found claim) {
        return own.single(connection -> table.delete(connection, claim));
    }

    /** Stores the reply, or gives the claim up where there is none, in the transaction of this connection. */
    boolean end(Connection connection, KeyTable.Found claim, @Nullable StoredReply reply) throws SQLException {
        return reply == null ? table.delete(connection, claim) : table.complete(connection, claim, reply);
    }

    /** Has a claim renewed that was made after this time. */
    Hold keep(Keeper keeper, KeyTable.Found claim, Duration since) {
        return keeper.keep(table, table.held(claim), settings.lease(), settings.maxDuration(), since);
    }

    /** How long a caller waits for a transaction that has the key. */
    Duration transactionPatience() {
        return settings.transactionPatience();
    }

    /** Tells whether a key that was just claimed has to be given up. */
    boolean isOneTooMany(IdempotencyKey key) {
        return quota.isExceededBy(key.owner());
    }

    TooManyKeysException tooMany(IdempotencyKey key) {
        return new TooManyKeysException(key, quota.most());
    }

    void tell(IdempotencyKey key, KeyEvent event) {
        quota.happened(key.owner(), event);
        for (KeyListener listener : listeners) {
            try {
                listener.happened(key, event);
            } catch (RuntimeException failed) {
                logger.warn("A listener failed on '{}' of the {}", event, key, failed);
            }
        }
    }

    /** Of somebody else's row: what is to be replayed, or nothing while it is worked on. */
    Optional<StoredReply> earlierReply(IdempotencyKey key, KeyTable.Found found) {
        if (!found.sameRequest()) {
            tell(key, KeyEvent.REUSED);
            throw new KeyReusedException(key);
        }
        Optional<StoredReply> reply = Optional.ofNullable(found.reply());
        reply.ifPresent(replayed -> tell(key, KeyEvent.REPLAYED));
        return reply;
    }
}
