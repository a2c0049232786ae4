package io.sagaspring.idempotency;

import java.time.Duration;

/**
 * The settings of the keys.
 *
 * @param retention the time for which a key is kept, counted from its claim
 * @param lease the time since the last heartbeat after which a claim may be taken over
 * @param maxDuration the longest time for which a claim is renewed
 * @param transactionPatience the longest time that a duplicate waits for the transaction that has claimed its key
 * @since 0.1.0
 */
public record KeySettings(Duration retention, Duration lease, Duration maxDuration, Duration transactionPatience) {}
