package io.sagaspring.run;

import org.jspecify.annotations.Nullable;

/**
 * A reply to one wait of a run.
 *
 * @param signal the name of the awaited signal
 * @param scope the scope of the key: a reply with the same scope and key as an earlier one is a repetition
 * @param key the key, which is the same each time the reply is repeated; null if repetitions need not be recognized
 * @param value the value of the reply
 * @param last true if the reply ends the wait: a later reply with another key is then too late
 * @since 0.1.0
 */
public record RunReply(
        String signal, String scope, @Nullable String key, StoredValue value, boolean last) {}
