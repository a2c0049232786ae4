package io.sagaspring.fence;

/**
 * The identity of a lease that this node holds, such as the lease on a claim, a run or a name.
 *
 * @param name the kind of the thing that is held: the name of an entity, of a durable listener or of a kind of
 *     background work, or a word such as {@code run}
 * @param id the id of that thing
 * @param token the fencing token of the lease
 * @since 0.1.0
 */
public record HeldLease(String name, String id, FencingToken token) {

    @Override
    public String toString() {
        return "%s %s (token %s)".formatted(LogText.of(name), LogText.of(id), token);
    }
}
