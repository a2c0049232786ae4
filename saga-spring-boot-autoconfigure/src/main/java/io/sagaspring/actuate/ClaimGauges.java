package io.sagaspring.actuate;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sagaspring.claim.ClaimLedger;
import io.sagaspring.fence.Keeper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows what is at this moment. Reading a gauge never waits for the database. */
public final class ClaimGauges implements MeterBinder {

    private static final Logger logger = LoggerFactory.getLogger(ClaimGauges.class);

    private final Keeper keeper;
    private final ClaimLedger ledger;
    private final Survey<ClaimFacts> survey;

    /**
     * Gauges that are in no registry yet.
     *
     * @param keeper knows what this node holds
     * @param ledger tells claims from other things that are held
     * @param survey knows what the database has last said
     */
    public ClaimGauges(Keeper keeper, ClaimLedger ledger, Survey<ClaimFacts> survey) {
        this.keeper = keeper;
        this.ledger = ledger;
        this.survey = survey;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        // A registry that refuses a meter must not refuse the start.
        try {
            Gauge.builder("saga.claims.kept", this, ClaimGauges::kept)
                    .description("Claims that this node holds and keeps alive.")
                    .register(registry);
            Gauge.builder("saga.due.parked", this, ClaimGauges::parked)
                    .description("Due work that waits for a person, on all nodes, when it was last looked for.")
                    .register(registry);
        } catch (RuntimeException failed) {
            logger.warn("Could not register the gauges of claims in {}", registry, failed);
        }
    }

    private double kept() {
        return keeper.holds().stream().filter(hold -> hold.table() == ledger).count();
    }

    private double parked() {
        ClaimFacts known = survey.latest();
        return known == null ? Double.NaN : known.parked();
    }
}
