package com.example.docs.leases;

import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import org.springframework.stereotype.Service;

@Service
class ReportOfAllTenants {

    private final LeaseManager leases;
    private final Letters letters;

    ReportOfAllTenants(LeaseManager leases, Letters letters) {
        this.leases = leases;
        this.letters = letters;
    }

    void report() throws Exception {
        leases.global().during(LeaseName.of("report"), () -> {
            letters.sendReport();
            return null;
        });
    }
}
