package io.sagaspring.test.saga;

/** The input of the sagas of these tests. */
record Checkout(String orderId, int amount) {}
