package com.example.docs.leases;

import io.sagaspring.lease.Acquisition.Acquired;
import io.sagaspring.lease.Completion;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
class NightlyReport {

    private final LeaseManager leases;
    private final Letters letters;

    NightlyReport(LeaseManager leases, Letters letters) {
        this.leases = leases;
        this.letters = letters;
    }

    @Scheduled(cron = "0 0 3 * * *", zone = "UTC")
    void report() throws Exception {
        String day = LocalDate.now(ZoneOffset.UTC).toString();
        if (leases.tryAcquire(LeaseName.of("nightly-report", day)) instanceof Acquired acquired) {
            try (Lease lease = acquired.lease()) {
                lease.during(() -> {
                    letters.sendReport();
                    return lease.complete(Completion.PASSED);
                });
            }
        }
    }
}
