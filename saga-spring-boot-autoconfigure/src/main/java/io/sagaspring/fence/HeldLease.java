package io.sagaspring.fence;

/**
 * The identity of a lease that this node holds, such as one on a claim, a run or a name.
 *
 * @param name the kind of object, such as the name of an entity, a queue or {@code run}
 * @param id the id of the object
 * @param token the fencing token of the lease
 * @since 0.1.0
 */
public record HeldLease(String name, String id, FencingToken token) {

    @Override
    public String toString() {
        return "%s %s (token %s)".formatted(LogText.of(name), LogText.of(id), token);
    }
}
