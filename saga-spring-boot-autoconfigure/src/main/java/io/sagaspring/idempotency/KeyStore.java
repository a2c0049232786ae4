package io.sagaspring.idempotency;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.SagaSchema;

/** Where keys are kept. */
public final class KeyStore {

    private final KeyTable table;
    private final OwnTransactions own;
    private final KeySettings settings;

    /**
     * The keys in this schema.
     *
     * @param schema holds the table
     * @param node the name of this node, as it shows to people
     * @param own transactions over the schema's data source
     * @param settings what may be set
     */
    public KeyStore(SagaSchema schema, String node, OwnTransactions own, KeySettings settings) {
        this.table = new KeyTable(schema, node, settings.retention(), settings.lease());
        this.own = own;
        this.settings = settings;
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
}
