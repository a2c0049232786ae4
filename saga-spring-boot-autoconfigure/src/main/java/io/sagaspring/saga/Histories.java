package io.sagaspring.saga;

import io.sagaspring.run.NoSuchRunException;
import io.sagaspring.run.Payloads;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunStore;
import java.util.Optional;

/** Reads executions from the store. */
final class Histories {

    private final RunStore store;
    private final SagaCatalog catalog;
    private final Payloads payloads;
    private final Json json;

    Histories(RunStore store, SagaCatalog catalog, Payloads payloads, Json json) {
        this.store = store;
        this.catalog = catalog;
        this.payloads = payloads;
        this.json = json;
    }

    /** Empty also if it is none of the sagas of this node. */
    Optional<History> find(RunId id) {
        return store.find(id)
                .flatMap(row ->
                        catalog.find(row.run()).map(plan -> new History(plan, row, store.notes(id), payloads, json)));
    }

    History require(RunId id) {
        return find(id).orElseThrow(() -> new NoSuchRunException(id));
    }
}
