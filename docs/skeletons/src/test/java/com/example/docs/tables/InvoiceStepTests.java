package com.example.docs.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.FreshDatabase;
import io.sagaspring.workflow.TransitionOutcome.Completed;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.TestPropertySource;

@SpringBootTest
@FreshDatabase
@TestPropertySource(
        properties = {
            "spring.config.location=classpath:com/example/docs/tables/",
            "spring.flyway.enabled=false",
            "spring.sql.init.schema-locations=classpath:com/example/docs/tables/schema.sql"
        })
class InvoiceStepTests {

    @Autowired
    InvoiceController controller;

    @Autowired
    InvoiceRepository invoices;

    @Test
    void aPaidInvoiceHasAReceipt() {
        assertThat(controller.pay(1)).isEqualTo(new Completed("PAID", null));
        assertThat(invoices.findById(1L)).hasValue(new Invoice(1, "PAID", 3, "receipt for 1"));
    }
}
