package io.sagaspring.sample.billing;

import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;

/** Reverts invoices that a crash has left while they were being regenerated or paid. */
@ClaimJanitor(module = "invoicing")
class InvoicingJanitor extends ScheduledClaimJanitor {}
