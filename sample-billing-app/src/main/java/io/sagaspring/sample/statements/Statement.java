package io.sagaspring.sample.statements;

import java.math.BigInteger;
import java.time.Instant;

/**
 * The payments of a customer.
 *
 * @param customer the customer's email address
 * @param payments the number of payments
 * @param totalCents the sum of the payments
 * @param written the number of times that the statement was written
 * @param at the time at which it was last written
 */
record Statement(String customer, long payments, BigInteger totalCents, long written, Instant at) {}
