package com.example.shop.checkout;

/** What a checkout is started with. It is kept as JSON. */
record Checkout(String orderId, long cents) {}
