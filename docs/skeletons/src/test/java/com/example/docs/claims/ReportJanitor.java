package com.example.docs.claims;

import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ClaimRecovered;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

@ClaimJanitor(module = "reporting")
class ReportJanitor extends ScheduledClaimJanitor {

    private static final Logger logger = LoggerFactory.getLogger(ReportJanitor.class);

    @Override
    protected void recovered(ClaimRecovered claim) {
        logger.warn("Report {} was left in {} for {}", claim.id(), claim.claimState(), claim.age());
    }
}
