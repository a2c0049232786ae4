package io.sagaspring.idempotency;

/**
 * Finds the owner of the keys that the current thread uses. A reply is replayed only to its owner, never to another
 * user who sends the same key. A bean of this type replaces the library's own, which returns the user of Spring
 * Security or of the current web request.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface OwnerResolver {

    /**
     * Returns the owner.
     *
     * @return a name that is unique among the owners, or {@link IdempotencyKey#NONE} if there is no owner; all callers
     *     without an owner share their keys. Convert names with {@link IdempotencyKey#named}, so that no name becomes
     *     {@code NONE}
     */
    String owner();
}
