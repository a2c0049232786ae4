package com.example.docs.idempotency;

record Order(String requestId, String shop, long cents) {}
