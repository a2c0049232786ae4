package com.example.docs.migrating;

enum PayoutStatus {
    NEW,
    /** The status that nodes of the previous release use. */
    PROCESSING,
    PAYING,
    PAID
}
