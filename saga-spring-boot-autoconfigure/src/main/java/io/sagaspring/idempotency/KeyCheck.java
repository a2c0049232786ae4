package io.sagaspring.idempotency;

import java.time.Duration;

/**
 * What is known of a key.
 *
 * @since 0.1.0
 */
public sealed interface KeyCheck {

    /**
     * Nobody has used it; from now on it is the caller's.
     *
     * @param claim to be completed with the reply, or given up
     */
    record New(KeyClaim claim) implements KeyCheck {}

    /**
     * The work is done.
     *
     * @param reply what it replied
     */
    record Completed(StoredReply reply) implements KeyCheck {}

    /**
     * Somebody is working on it.
     *
     * @param leaseLeft how long that one may be silent before the claim can be taken over
     */
    record Processing(Duration leaseLeft) implements KeyCheck {}
}
