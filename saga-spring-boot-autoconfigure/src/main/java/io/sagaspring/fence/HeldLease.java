package io.sagaspring.fence;

/**
 * A row that this node holds.
 *
 * @param name what the row is about
 * @param id which one of these it is
 * @param token the proof of holding it
 * @since 0.1.0
 */
public record HeldLease(String name, String id, FencingToken token) {

    @Override
    public String toString() {
        return "%s %s (token %s)".formatted(LogText.of(name), LogText.of(id), token);
    }
}
