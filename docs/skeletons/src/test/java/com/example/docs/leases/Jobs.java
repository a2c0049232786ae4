package com.example.docs.leases;

import io.sagaspring.lease.Lease;
import io.sagaspring.lease.Leased;
import io.sagaspring.lease.Leased.IfTaken;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
class Jobs {

    private final Letters letters;

    Jobs(Letters letters) {
        this.letters = letters;
    }

    @Scheduled(cron = "0 0 3 * * *")
    @Leased(value = "'nightly-report'", ifTaken = IfTaken.SKIP)
    public void report() {
        letters.sendReport();
    }

    @Leased("'dunning/' + #loop")
    public void dun(String loop) {
        letters.send(loop, Lease.current().token());
    }
}
