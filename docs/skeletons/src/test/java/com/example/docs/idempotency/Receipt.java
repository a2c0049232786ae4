package com.example.docs.idempotency;

record Receipt(long number) {}
