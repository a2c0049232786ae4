package io.sagaspring.fence;

import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A row that this node holds.
 *
 * @param name what the row is about
 * @param id which one of these it is
 * @param token the proof of holding it
 * @since 0.1.0
 */
public record Held(String name, String id, FencingToken token) {

    /** Those of the rows that have one of these tokens. */
    static Set<Held> of(Set<FencingToken> tokens, Collection<Held> rows) {
        return rows.stream().filter(each -> tokens.contains(each.token())).collect(Collectors.toSet());
    }

    @Override
    public String toString() {
        return "%s %s (token %s)".formatted(LogText.of(name), LogText.of(id), token);
    }
}
