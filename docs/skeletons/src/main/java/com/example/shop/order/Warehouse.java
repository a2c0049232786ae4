package com.example.shop.order;

interface Warehouse {

    /**
     * Ships an order. After a crash it is called again for the same order, so it must recognize an order that it has
     * shipped.
     *
     * @return the number of the parcel
     */
    String ship(long order) throws InterruptedException;
}
