package io.sagaspring.idempotency;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.SagaSchema;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where keys are kept. */
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

    KeyTable table() {
        return table;
    }

    OwnTransactions own() {
        return own;
    }

    KeySettings settings() {
        return settings;
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
    Optional<Reply> earlierReply(IdempotencyKey key, KeyTable.Found found) {
        if (!found.sameRequest()) {
            tell(key, KeyEvent.REUSED);
            throw new KeyReusedException(key);
        }
        Optional<Reply> reply = Optional.ofNullable(found.reply());
        reply.ifPresent(replayed -> tell(key, KeyEvent.REPLAYED));
        return reply;
    }
}
