package com.example.shop.order;

import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;

/** Reverts orders that a crash has left in {@code SHIPPING} to {@code PLACED}. */
@ClaimJanitor(module = "order")
class OrderJanitor extends ScheduledClaimJanitor {}
