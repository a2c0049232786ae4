package io.sagaspring.test.saga;

/** What the sagas of these tests are given. */
record Checkout(String orderId, int amount) {}
