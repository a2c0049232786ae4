package com.example.docs.leases;

import io.sagaspring.lease.Completion;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

@Service
class Stories {

    private final LeaseManager leases;
    private final JdbcClient database;
    private final TransactionTemplate transaction;

    Stories(LeaseManager leases, JdbcClient database, TransactionTemplate transaction) {
        this.leases = leases;
        this.database = database;
        this.transaction = transaction;
    }

    void pass(String story) {
        try (Lease lease = leases.acquire(LeaseName.of("story", story))) {
            transaction.executeWithoutResult(status -> {
                lease.requireHeld();
                database.sql("UPDATE story SET passed = true WHERE id = ?")
                        .param(story)
                        .update();
                lease.complete(Completion.PASSED);
            });
        }
    }
}
