package com.example.shop.account;

import io.sagaspring.idempotency.Idempotent;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

@Service
class Accounts {

    private final JdbcClient database;

    Accounts(JdbcClient database) {
        this.database = database;
    }

    /**
     * Credits an account. The credit and its key are one commit: after a crash at any moment, both are stored or
     * neither is.
     */
    @Idempotent(requestId = "#requestId", operation = "'credit account'", sameTransaction = true)
    long credit(String requestId, String owner, long cents) {
        return database.sql("""
                INSERT INTO account (owner, cents) VALUES (:owner, :cents)
                ON CONFLICT (owner) DO UPDATE SET cents = account.cents + :cents RETURNING cents""")
                .param("owner", owner)
                .param("cents", cents)
                .query(Long.class)
                .single();
    }
}
