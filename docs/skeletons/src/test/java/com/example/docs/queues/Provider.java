package com.example.docs.queues;

/** Stands in for a payment provider. */
final class Provider {

    private Provider() {}

    static String transfer(Payouts.Payout payout, String key) {
        return "%s paid to %s (%s)".formatted(payout.cents(), payout.merchant(), key);
    }
}
