package io.sagaspring.sample.billing;

enum BillingStatus {
    DRAFT,
    APPROVED,
    CLOSING,
    CLOSED
}
