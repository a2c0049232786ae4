package io.sagaspring.run.postgres;

import io.sagaspring.run.StartKey;

/**
 * The unique index {@code saga_run_key}, which decides whether a start finds an existing run. Each run with a key has an entry, computed
 * from its row. The entry of an open key disappears in the commit that ends the run.
 */
final class KeyIndex {

    /** The entry of the run {@code r}. The planner uses the index only for the index's own condition and expression. */
    static final String ENTRY =
            "r.start_key IS NOT NULL AND (CASE WHEN r.key_kind IS NULL THEN r.start_key WHEN r.ended_at IS NULL THEN chr(1) || 'o' || r.start_key END)";

    /** The value of the column {@code key_kind} of an open key. */
    static final String OPEN = "open";

    private static final String OF_OPEN = "\u0001o";

    private KeyIndex() {}

    static String entry(StartKey key) {
        return key.isFreeAtTheEnd() ? OF_OPEN + key.text() : key.text();
    }

    /** Returns the entries that a key of any kind may have. */
    static String[] entries(String text) {
        return new String[] {text, OF_OPEN + text};
    }
}
