package io.sagaspring.idempotency;

import java.time.Duration;

/**
 * The state in which a check finds a key.
 *
 * @since 0.1.0
 */
public sealed interface KeyCheck {

    /**
     * The key was free, and the caller has claimed it.
     *
     * @param claim the claim, which the caller completes with the reply or releases
     */
    record New(KeyClaim claim) implements KeyCheck {}

    /**
     * The work was executed already.
     *
     * @param reply the stored reply
     */
    record Completed(StoredReply reply) implements KeyCheck {}

    /**
     * The key is in use: its owner is executing the work.
     *
     * @param leaseLeft the remaining time of the owner's lease; the owner may renew it
     */
    record Processing(Duration leaseLeft) implements KeyCheck {}
}
