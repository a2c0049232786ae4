package io.sagaspring.dashboard;

import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A workflow of parcels, and its janitor. */
@Configuration
class ParcelShop {

    /** The properties of the workflow. */
    static final String[] PROPERTIES = {
        "spring.jpa.hibernate.ddl-auto=update",
        "saga.workflows.shipping.module=shop",
        "saga.workflows.shipping.entity=" + Parcel.class.getName(),
        "saga.workflows.shipping.requesters=clerk",
        "saga.workflows.shipping.steps[0].step-key=send",
        "saga.workflows.shipping.steps[0].status=PACKED",
        "saga.workflows.shipping.steps[0].claim-state.any=SENDING,PACKED",
        "saga.workflows.shipping.steps[0].successful-state.any=SENT",
        "saga.workflows.shipping.steps[0].action.any=sendParcel",
        // No sweep frees the claims that a test inserts.
        "saga.janitor.interval=1h"
    };

    enum Status {
        PACKED,
        SENDING,
        SENT
    }

    /** A parcel. */
    @Entity(name = "Parcel")
    static class Parcel {

        @Id
        Long id = 0L;

        @Enumerated(EnumType.STRING)
        Status status = Status.PACKED;

        @Version
        long version;

        String recipient = "secret-recipient";
    }

    @ClaimJanitor(module = "shop")
    static class Janitor extends ScheduledClaimJanitor {}

    @Bean
    StepAction<Parcel> sendParcel() {
        return (parcel, context) -> ActionResult.success();
    }
}
