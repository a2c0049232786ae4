package com.example.shop.checkout;

/** The payment provider. A repeated call with the same key has no effect. */
interface Payments {

    /**
     * Charges an order.
     *
     * @return the number of the charge
     */
    String charge(String order, long cents, String key);

    /** Refunds an order. If the process died early, there may be no charge. */
    void refund(String order, String key);
}
