package com.example.docs.migrating;

import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;

@ClaimJanitor(module = "payouts")
class PayoutJanitor extends ScheduledClaimJanitor {}
