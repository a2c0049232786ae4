package io.sagaspring.sample.billing;

enum InvoiceStatus {
    SENT,
    OVERDUE,
    PAID,
    REPLACED
}
