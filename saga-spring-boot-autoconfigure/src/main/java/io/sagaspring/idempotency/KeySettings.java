package io.sagaspring.idempotency;

import java.time.Duration;

/**
 * What may be set.
 *
 * @param retention for how long after its claim a key is known
 * @param lease after how much silence a claim may be taken over
 * @param maxDuration for how long a claim is kept alive
 * @param transactionPatience for how long a duplicate waits for the transaction that has its key
 * @since 0.1.0
 */
public record KeySettings(Duration retention, Duration lease, Duration maxDuration, Duration transactionPatience) {}
