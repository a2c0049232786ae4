package io.sagaspring.run;

import org.jspecify.annotations.Nullable;

/**
 * A reply to one wait of a run.
 *
 * @param signal the name of the awaited signal
 * @param scope the scope within which repeated replies have the same key
 * @param key a key that is the same each time the reply is repeated, or null
 * @param value the value of the reply
 * @param last true if the reply ends the wait; a wait has only one such reply
 * @since 0.1.0
 */
public record RunReply(
        String signal, String scope, @Nullable String key, StoredValue value, boolean last) {}
