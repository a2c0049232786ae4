package io.sagaspring.sample.billing;

import java.time.Instant;

/**
 * Published in the transaction that records a payment.
 *
 * @param customer the customer who paid
 * @param amountCents the amount
 * @param at the time of the payment
 */
public record PaymentReceived(String customer, long amountCents, Instant at) {}
