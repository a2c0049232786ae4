package com.example.docs.sagas;

record Order(String id, long cents, String paymentToken) {

    boolean isLarge() {
        return cents > 100_000;
    }
}
