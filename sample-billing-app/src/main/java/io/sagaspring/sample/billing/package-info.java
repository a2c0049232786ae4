/** Billings and their invoices. Start reading at {@link io.sagaspring.sample.billing.BillingController}. */
@NullMarked
package io.sagaspring.sample.billing;

import org.jspecify.annotations.NullMarked;
