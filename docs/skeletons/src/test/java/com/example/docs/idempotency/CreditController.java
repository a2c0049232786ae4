package com.example.docs.idempotency;

import io.sagaspring.idempotency.Idempotent;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class CreditController {

    private final JdbcClient database;

    CreditController(JdbcClient database) {
        this.database = database;
    }

    record Credit(long cents) {}

    record Balance(long cents) {}

    @PostMapping("/api/accounts/{id}/credits")
    @Idempotent(account = "#id")
    Balance credit(@PathVariable long id, @RequestBody Credit credit) {
        return new Balance(database.sql("UPDATE account SET cents = cents + ? WHERE id = ? RETURNING cents")
                .params(credit.cents(), id)
                .query(Long.class)
                .single());
    }
}
