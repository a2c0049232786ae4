package com.example.docs.leases;

import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import jakarta.persistence.EntityManager;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

@Service
class ClosingByHand {

    private final LeaseManager leases;
    private final Provider provider;
    private final EntityManager entities;
    private final TransactionTemplate transaction;

    ClosingByHand(LeaseManager leases, Provider provider, EntityManager entities, TransactionTemplate transaction) {
        this.leases = leases;
        this.provider = provider;
        this.entities = entities;
        this.transaction = transaction;
    }

    void close(Billing billing) {
        Lease lease = leases.acquire(LeaseName.of("billing", Long.toString(billing.id())));
        try {
            lease.requireHeld();
            String receipt = provider.charge(billing.cents(), lease.token());
            transaction.executeWithoutResult(status -> {
                lease.requireHeld();
                entities.merge(billing).close(receipt);
            });
        } finally {
            lease.close();
        }
    }
}
