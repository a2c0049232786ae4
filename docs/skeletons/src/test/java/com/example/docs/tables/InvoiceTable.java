package com.example.docs.tables;

import io.sagaspring.entity.ClaimTable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class InvoiceTable {

    @Bean
    ClaimTable<Invoice> invoices(InvoiceRepository repository) {
        return ClaimTable.of(Invoice.class, "invoices").id(Long.class, "id").loadedBy(repository::findById);
    }
}
