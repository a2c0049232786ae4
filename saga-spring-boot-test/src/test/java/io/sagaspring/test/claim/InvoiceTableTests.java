package io.sagaspring.test.claim;

import io.sagaspring.test.database.FreshDatabase;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The contract holds for a table with a number as its id. */
@SpringBootTest(
        classes = DescribedShop.class,
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "spring.sql.init.mode=always",
            "spring.sql.init.schema-locations=classpath:io/sagaspring/test/claim/tables.sql",
            "saga.janitor.modules.shop.default-janitor=true"
        })
@FreshDatabase(sharedAs = "described")
class InvoiceTableTests extends ClaimTableContract {

    @Autowired
    JdbcClient database;

    @Override
    protected Class<?> entity() {
        return DescribedShop.Invoice.class;
    }

    @Override
    protected Object insert(String status) {
        return database.sql("INSERT INTO invoices (status) VALUES (?) RETURNING id")
                .param(status)
                .query(Long.class)
                .single();
    }
}
