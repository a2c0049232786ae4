package io.sagaspring.sample.billing;

enum InvoiceStatus {
    SENT,
    OVERDUE,
    PAID,
    REPLACED,
    REGENERATING,
    APPLYING_PAYMENT_FROM_SENT,
    APPLYING_PAYMENT_FROM_OVERDUE
}
