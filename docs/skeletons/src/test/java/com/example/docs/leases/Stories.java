package com.example.docs.leases;

import io.sagaspring.lease.Completion;
import io.sagaspring.lease.Lease;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

@Service
class Stories {

    private final JdbcClient database;
    private final TransactionTemplate transaction;

    Stories(JdbcClient database, TransactionTemplate transaction) {
        this.database = database;
        this.transaction = transaction;
    }

    void passLast(String story, Lease lease) {
        transaction.executeWithoutResult(status -> {
            lease.requireHeld();
            pass(story);
            lease.complete(Completion.PASSED);
        });
    }

    private void pass(String story) {
        database.sql("UPDATE story SET passed = true WHERE id = ?").param(story).update();
    }
}
