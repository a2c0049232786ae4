package io.sagaspring.sample.reminders;

import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;

/** Reverts reminders that a crash has left in {@code SENDING}. */
@ClaimJanitor(module = "reminders")
class RemindersJanitor extends ScheduledClaimJanitor {}
