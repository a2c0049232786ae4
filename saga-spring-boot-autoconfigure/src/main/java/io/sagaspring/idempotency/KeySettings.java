package io.sagaspring.idempotency;

import java.time.Duration;

/**
 * The settings of the keys.
 *
 * @param retention how long a key is kept after its claim
 * @param lease how long a claim stays valid after its last heartbeat; then it can be taken over
 * @param maxDuration how long a claim is renewed at most
 * @param transactionPatience the longest time that a duplicate waits for the transaction that has claimed its key
 * @since 0.1.0
 */
public record KeySettings(Duration retention, Duration lease, Duration maxDuration, Duration transactionPatience) {}
