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

    KeyTable table() {
        return table;
    }

    OwnTransactions own() {
        return own;
    }

    KeySettings settings() {
        return settings;
    }

    void tell(IdempotencyKey key, KeyEvent event) {
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
