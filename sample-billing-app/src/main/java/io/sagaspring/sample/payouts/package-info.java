/**
 * Payouts through a payment provider that accepts few requests at once, and the calls that control its queue. The steps are retried. Start
 * reading at {@link io.sagaspring.sample.payouts.PayOut}.
 */
@NullMarked
package io.sagaspring.sample.payouts;

import org.jspecify.annotations.NullMarked;
