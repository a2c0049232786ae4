package com.example.docs.tables;

import io.sagaspring.test.claim.ClaimTableContract;
import io.sagaspring.test.database.FreshDatabase;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

@SpringBootTest
@FreshDatabase
@TestPropertySource(
        properties = {
            "spring.config.location=classpath:com/example/docs/tables/",
            "spring.flyway.enabled=false",
            "spring.sql.init.schema-locations=classpath:com/example/docs/tables/schema.sql"
        })
class InvoiceTableTests extends ClaimTableContract {

    @Autowired
    JdbcClient database;

    @Override
    protected Class<?> entity() {
        return Invoice.class;
    }

    @Override
    protected Object insert(String status) {
        return database.sql("INSERT INTO invoices (status) VALUES (?) RETURNING id")
                .param(status)
                .query(Long.class)
                .single();
    }
}
