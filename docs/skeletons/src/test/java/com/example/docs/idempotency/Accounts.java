package com.example.docs.idempotency;

import io.sagaspring.idempotency.Idempotent;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

@Service
class Accounts {

    private final JdbcClient database;

    Accounts(JdbcClient database) {
        this.database = database;
    }

    @Idempotent(requestId = "#requestId", operation = "'credit account'", sameTransaction = true)
    public long credit(String requestId, long id, long cents) {
        return database.sql("UPDATE account SET cents = cents + ? WHERE id = ? RETURNING cents")
                .params(cents, id)
                .query(Long.class)
                .single();
    }
}
