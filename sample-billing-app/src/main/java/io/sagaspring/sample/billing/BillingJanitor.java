package io.sagaspring.sample.billing;

import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;

/** Reverts billings that a crash has left in {@code CLOSING}. */
@ClaimJanitor(module = "billing")
class BillingJanitor extends ScheduledClaimJanitor {}
