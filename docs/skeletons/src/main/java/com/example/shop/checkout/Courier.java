package com.example.shop.checkout;

interface Courier {

    /**
     * Asks the courier to collect a parcel. The courier calls back about this checkout, and presents the token. A
     * repeated call with the same key has no effect.
     *
     * @return the number of the parcel
     */
    String collect(String checkout, String token, String key);
}
