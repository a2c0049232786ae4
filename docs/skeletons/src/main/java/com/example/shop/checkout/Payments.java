package com.example.shop.checkout;

/** Whoever takes the money. A key that was seen before asks for nothing new. */
interface Payments {

    /**
     * Takes the money for an order.
     *
     * @return the number of the charge
     */
    String charge(String order, long cents, String key);

    /** Gives back what was taken for an order. There may be nothing, if a process died before it was charged. */
    void refund(String order, String key);
}
