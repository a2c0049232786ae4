package io.sagaspring.sample.checkout;

import java.util.Map;

/**
 * What a checkout is given.
 *
 * @param simulate the trouble that was asked for, see {@link Trouble}
 */
record Checkout(String orderId, long amountCents, String paymentToken, Map<String, String> simulate) {

    private static final long NEEDS_APPROVAL_FROM = 100_000;

    boolean needsApproval() {
        return amountCents >= NEEDS_APPROVAL_FROM;
    }

    /** As nobody needs to see it who has not to pay with it. */
    @Override
    public String toString() {
        return "Checkout[%s, %d cents]".formatted(orderId, amountCents);
    }
}
