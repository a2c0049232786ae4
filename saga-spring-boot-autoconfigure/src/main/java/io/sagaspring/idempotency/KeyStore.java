package io.sagaspring.idempotency;

import io.sagaspring.fence.Hold;
import io.sagaspring.fence.JoinGuard;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.tenant.TenantUnavailableException;
import io.sagaspring.tenant.Tenants;
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
 * The store of the keys.
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
    private final Tenants tenants;

    /**
     * Creates the store of the keys in a schema, without a limit and without tenants.
     *
     * @param schema the schema of the table
     * @param node the display name of this node
     * @param own the library's transactions on the schema's data source
     * @param settings the settings
     * @param listeners the listeners for events of keys
     */
    public KeyStore(
            SagaSchema schema,
            String node,
            OwnTransactions own,
            KeySettings settings,
            Collection<KeyListener> listeners) {
        this(schema, node, own, settings, listeners, 0, Tenants.none());
    }

    /**
     * Creates the store of the keys in a schema, with a limit of keys per owner.
     *
     * @param schema the schema of the table
     * @param node the display name of this node
     * @param own the library's transactions on the schema's data source
     * @param settings the settings
     * @param listeners the listeners for events of keys
     * @param maxKeysPerOwner the approximate limit of keys per owner, or 0 for no limit
     * @param tenants the source of the current tenant, to which a key belongs
     */
    public KeyStore(
            SagaSchema schema,
            String node,
            OwnTransactions own,
            KeySettings settings,
            Collection<KeyListener> listeners,
            int maxKeysPerOwner,
            Tenants tenants) {
        this.tenants = tenants;
        this.quota = new KeyQuota(maxKeysPerOwner);
        this.table = new KeyTable(schema, node, settings.retention(), settings.lease());
        this.own = own;
        this.settings = settings;
        this.listeners = List.copyOf(listeners);
    }

    /** Returns the guard that recognizes transactions of another database. */
    JoinGuard guard() {
        return own.guard();
    }

    /**
     * Removes some expired keys. Any number of nodes may call this method at once.
     *
     * @param limit the largest number of keys to remove
     * @return the number of removed keys
     */
    public int purge(int limit) {
        return own.single(connection -> table.purge(connection, limit));
    }

    /** Returns the statement that removes keys, for EXPLAIN. */
    String purge() {
        return table.purge();
    }

    /**
     * Reads from the database how many keys each owner has, if there is a limit. Owners with at most half of the limit
     * are left out. Each node calls this method every 30 seconds.
     */
    public void count() {
        if (quota.isLimited()) {
            quota.set(own.single(connection -> table.count(connection, quota.most())));
        }
    }

    /**
     * Returns the disk space of the keys in the database, with their replies and indexes.
     *
     * @return the size in bytes
     */
    public long bytes() {
        return own.single(table::bytes);
    }

    /**
     * Claims the key in a separate commit, or finds the existing row. Returns empty if another claim was committed at
     * the same time.
     */
    Optional<KeyTable.Found> claim(KeyTable.Slot slot, UUID attempt, Duration patience) {
        // The statement can be sent again after a lost reply, because the id of the attempt shows whether the claim in
        // the table belongs to this attempt.
        return own.repeatable(
                () -> "Claiming the " + slot.key(), connection -> claim(connection, slot, attempt, patience));
    }

    /** Claims the key in the transaction of this connection, or finds the existing row. */
    Optional<KeyTable.Found> claim(Connection connection, KeyTable.Slot slot, UUID attempt, Duration patience)
            throws SQLException {
        return table.claim(connection, slot, attempt, patience);
    }

    /** Stores the reply in a separate commit, unless the claim was taken over. */
    boolean complete(KeyTable.Found claim, StoredReply reply) {
        return own.single(connection -> table.complete(connection, claim, reply));
    }

    /** Releases the claim in a separate commit, unless it was taken over. */
    boolean release(KeyTable.Found claim) {
        return own.single(connection -> table.delete(connection, claim));
    }

    /** Stores the reply, or releases the claim if there is no reply, in the transaction of this connection. */
    boolean end(Connection connection, KeyTable.Found claim, @Nullable StoredReply reply) throws SQLException {
        return reply == null ? table.delete(connection, claim) : table.complete(connection, claim, reply);
    }

    /** Starts to renew a claim that was acquired after the given time. */
    Hold startRenewing(Keeper keeper, KeyTable.Found claim, Duration since) {
        return keeper.keep(table, table.held(claim), settings.lease(), settings.maxDuration(), since);
    }

    /** Returns the longest time that a caller waits for a transaction that has claimed the key. */
    Duration transactionPatience() {
        return settings.transactionPatience();
    }

    /** Returns true if a key that was just claimed exceeds its owner's limit and has to be released. */
    boolean isOneTooMany(KeyTable.Slot slot) {
        return quota.isExceededBy(slot.owner());
    }

    TooManyKeysException tooMany(IdempotencyKey key) {
        return new TooManyKeysException(key, quota.most());
    }

    /** Returns the key with the current tenant and the digest that identifies it in the table. */
    KeyTable.Slot slot(IdempotencyKey key) {
        return new KeyTable.Slot(key, tenants.current());
    }

    /**
     * Notifies the listeners in the context of the key's tenant, because the caller may have left that context by now.
     */
    void publish(KeyTable.Slot slot, KeyEvent event) {
        quota.happened(slot.owner(), event);
        try {
            tenants.run(slot.tenant(), () -> listeners.forEach(listener -> notify(listener, slot.key(), event)));
        } catch (TenantUnavailableException unavailable) {
            logger.warn("Listeners were not notified of the event {} of the {}", event, slot.key(), unavailable);
        }
    }

    private static void notify(KeyListener listener, IdempotencyKey key, KeyEvent event) {
        try {
            listener.happened(key, event);
        } catch (RuntimeException failed) {
            logger.warn("A KeyListener threw an exception on the event {} of the {}", event, key, failed);
        }
    }

    /**
     * Returns the reply that an earlier request has stored in the row, or empty if that request is in progress. Throws
     * a {@link KeyReusedException} if the row belongs to a different request.
     */
    Optional<StoredReply> earlierReply(KeyTable.Found found) {
        if (!found.sameRequest()) {
            publish(found.slot(), KeyEvent.REUSED);
            throw new KeyReusedException(found.slot().key());
        }
        Optional<StoredReply> reply = Optional.ofNullable(found.reply());
        reply.ifPresent(replayed -> publish(found.slot(), KeyEvent.REPLAYED));
        return reply;
    }
}
