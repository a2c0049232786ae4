package com.example.shop.checkout;

interface Courier {

    /**
     * Asks him to collect a parcel. He calls back about this checkout, and shows the token. A key that was seen before asks
     * for nothing new.
     *
     * @return the number of the parcel
     */
    String collect(String checkout, String token, String key);
}
