package com.example.docs.migrating;

enum PayoutStatus {
    NEW,
    /** What nodes of the release before use. */
    PROCESSING,
    PAYING,
    PAID
}
