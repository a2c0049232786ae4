package io.sagaspring.run.postgres;

import io.sagaspring.run.StartKey;
import io.sagaspring.run.StartKey.Kind;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The unique index {@code saga_run_key}, which decides whether a start finds an existing run. Each run with a key has an entry, computed
 * from its row. The entry disappears in the commit that frees the key.
 */
final class KeyIndex {

    /** The expression of the index. The placeholder before each column takes an alias with a dot, or nothing. */
    private static final String EXPRESSION = """
            CASE WHEN %1$skey_kind IS NULL THEN %1$sstart_key WHEN %1$sended_at IS NOT NULL THEN NULL
                WHEN %1$skey_kind = 'open' THEN chr(1) || 'o' || %1$sstart_key
                WHEN %1$stoken IS NULL AND %1$scancel_reason IS NULL THEN chr(1) || 'n' || %1$sstart_key END""";

    /**
     * The start of a condition on the entry of the run {@code r}: a comparison must follow. The text repeats the
     * definition of the index exactly. Otherwise, the planner does not use the index.
     */
    static final String ENTRY = "r.start_key IS NOT NULL AND (%s)".formatted(EXPRESSION.formatted("r."));

    /** The part of an INSERT that says what counts as a conflict: another run has the same entry in the index. */
    static final String CONFLICT = "ON CONFLICT (run, (%s), coalesce(tenant, '')) WHERE start_key IS NOT NULL"
            .formatted(EXPRESSION.formatted(""));

    private KeyIndex() {}

    static String entry(StartKey key) {
        return switch (key.kind()) {
            case UNTIL_REMOVED -> key.text();
            case WHILE_OPEN -> "\u0001o" + key.text();
            case UNTIL_BEGUN -> "\u0001n" + key.text();
        };
    }

    /** Returns the entries of the keys with this text, one for each kind. */
    static String[] entries(String text) {
        return Stream.of(Kind.values())
                .map(kind -> entry(new StartKey(text, kind)))
                .toArray(String[]::new);
    }

    /** Returns the value of the column {@code key_kind}, or null for NULL. */
    static @Nullable String kind(Kind kind) {
        return switch (kind) {
            case UNTIL_REMOVED -> null;
            case WHILE_OPEN -> "open";
            case UNTIL_BEGUN -> "next";
        };
    }
}
