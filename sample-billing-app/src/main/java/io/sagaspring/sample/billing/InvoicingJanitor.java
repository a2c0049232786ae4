package io.sagaspring.sample.billing;

import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;

/** Frees invoices that a crash has left while they were regenerated or paid. */
@ClaimJanitor(module = "invoicing")
class InvoicingJanitor extends ScheduledClaimJanitor {}
