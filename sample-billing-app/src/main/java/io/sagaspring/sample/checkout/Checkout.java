package io.sagaspring.sample.checkout;

import java.util.Map;

/**
 * The input of a checkout.
 *
 * @param simulate the requested failures and delays, see {@link Trouble}
 */
record Checkout(String orderId, long amountCents, String paymentToken, Map<String, String> simulate) {

    private static final long NEEDS_APPROVAL_FROM = 100_000;

    boolean needsApproval() {
        return amountCents >= NEEDS_APPROVAL_FROM;
    }

    /** Leaves out the payment token, which is a secret. */
    @Override
    public String toString() {
        return "Checkout[%s, %d cents]".formatted(orderId, amountCents);
    }
}
