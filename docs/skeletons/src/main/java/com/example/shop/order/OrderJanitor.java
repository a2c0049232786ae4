package com.example.shop.order;

import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;

/** Makes orders that a crash has left in {@code SHIPPING} {@code PLACED} again. */
@ClaimJanitor(module = "order")
class OrderJanitor extends ScheduledClaimJanitor {}
