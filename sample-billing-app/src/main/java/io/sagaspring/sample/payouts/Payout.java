package io.sagaspring.sample.payouts;

/**
 * The input of a payout.
 *
 * @param tenant the tenant that pays
 * @param reference the name that the client has given to the payout
 * @param amountCents the amount
 * @param simulated the trouble to simulate in the step, or an empty text
 */
record Payout(String tenant, String reference, long amountCents, String simulated) {}
