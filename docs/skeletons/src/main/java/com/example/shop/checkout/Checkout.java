package com.example.shop.checkout;

/** The input of a checkout, stored as JSON. */
record Checkout(String orderId, long cents) {}
