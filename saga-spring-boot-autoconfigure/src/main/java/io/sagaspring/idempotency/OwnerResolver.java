package io.sagaspring.idempotency;

/**
 * Tells on whose behalf the current thread works. The keys of one owner are nobody else's: what one user did is never
 * replayed to another who sends the same key. A bean of this type replaces the library's own, which asks for the user of
 * Spring Security or of the current web request.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface OwnerResolver {

    /**
     * Who asks.
     *
     * @return a name that is nobody else's, or {@link IdempotencyKey#NONE} where nobody is known;
     *     {@link IdempotencyKey#named} keeps a name from being that
     */
    String owner();
}
