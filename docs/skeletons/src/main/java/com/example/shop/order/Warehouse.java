package com.example.shop.order;

interface Warehouse {

    /**
     * Sends what was ordered. It is asked again after a crash, so it has to know an order that it has sent.
     *
     * @return the number of the parcel
     */
    String ship(long order) throws InterruptedException;
}
