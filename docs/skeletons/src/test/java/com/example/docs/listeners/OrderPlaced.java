package com.example.docs.listeners;

/** An event of the application. */
record OrderPlaced(String orderId, String customer) {}
