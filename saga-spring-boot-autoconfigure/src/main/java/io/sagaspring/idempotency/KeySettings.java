package io.sagaspring.idempotency;

import java.time.Duration;

/**
 * The settings of the keys.
 *
 * @param retention the time after which a key expires, measured from its claim
 * @param lease the time after which a claim can be taken over, measured from its last heartbeat
 * @param maxDuration the maximum time for which a claim is renewed
 * @param transactionPatience the longest time that a duplicate waits for the transaction that has claimed its key
 * @since 0.1.0
 */
public record KeySettings(Duration retention, Duration lease, Duration maxDuration, Duration transactionPatience) {}
