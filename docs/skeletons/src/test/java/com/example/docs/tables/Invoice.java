package com.example.docs.tables;

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.relational.core.mapping.Table;

@Table("invoices")
record Invoice(
        @Id long id,
        String status,
        @Version long version,
        @Nullable String receipt) {

    Invoice paid(String receipt) {
        return new Invoice(id, status, version, receipt);
    }
}
