package com.example.docs.leases;

import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import org.springframework.stereotype.Service;

@Service
class Dunning {

    private final LeaseManager leases;
    private final Letters letters;

    Dunning(LeaseManager leases, Letters letters) {
        this.leases = leases;
        this.letters = letters;
    }

    void dun(String loop) throws Exception {
        try (Lease lease = leases.acquire(LeaseName.of("dunning", loop))) {
            lease.during(() -> {
                letters.send(loop, lease.token());
                return null;
            });
        }
    }
}
