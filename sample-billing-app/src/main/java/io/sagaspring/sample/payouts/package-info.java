/**
 * Payouts through a payment provider that accepts few requests at the same time, and the calls that control the queue
 * of the payouts. The steps are retried. Start reading at {@link io.sagaspring.sample.payouts.PayOut}.
 */
@NullMarked
package io.sagaspring.sample.payouts;

import org.jspecify.annotations.NullMarked;
