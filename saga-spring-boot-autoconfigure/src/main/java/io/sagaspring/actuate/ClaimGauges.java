package io.sagaspring.actuate;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sagaspring.claim.ClaimLedger;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.fence.Keeper;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows the current claims and background work as gauges. Reading a gauge never waits for the database. */
final class ClaimGauges implements MeterBinder {

    private static final Logger logger = LoggerFactory.getLogger(ClaimGauges.class);

    private final Keeper keeper;
    private final ClaimLedger ledger;
    private final Survey<ClaimFacts> survey;
    private final IntSupplier freeSlots;

    /**
     * Creates gauges that are not registered yet.
     *
     * @param keeper the heartbeat keeper, which lists the leases of this node
     * @param ledger the ledger that distinguishes claims from other leases
     * @param survey the survey that holds the latest facts from the database
     * @param freeSlots the supplier of the number of pieces of background work in the home database that this node
     *     could begin now
     */
    public ClaimGauges(Keeper keeper, ClaimLedger ledger, Survey<ClaimFacts> survey, IntSupplier freeSlots) {
        this.keeper = keeper;
        this.ledger = ledger;
        this.survey = survey;
        this.freeSlots = freeSlots;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        // A registry that refuses a meter must not make the application fail at start-up.
        try {
            Gauge.builder("saga.claims.kept", this, ClaimGauges::kept)
                    .description("Claims that this node holds and renews.")
                    .register(registry);
            Gauge.builder("saga.claims.oldest", this, ClaimGauges::oldest)
                    .description("Age of the oldest claim on all nodes. Read from the database at intervals.")
                    .baseUnit("seconds")
                    .register(registry);
            Gauge.builder("saga.due.parked", this, ClaimGauges::parked)
                    .description("Parked pieces of background work on all nodes. Read from the database at intervals.")
                    .register(registry);
            BacklogGauges.bind(registry, "saga.due", "background work", () -> {
                ClaimFacts known = survey.latest();
                return known == null ? null : known.backlog();
            });
            Gauge.builder("saga.due.slots.free", freeSlots::getAsInt)
                    .description("Free slots for background work on this node.")
                    .register(registry);
        } catch (RuntimeException failed) {
            logger.warn("Could not register the gauges of claims in {}", registry, failed);
        }
    }

    private double kept() {
        return keeper.holds().stream()
                .filter(hold -> ledger.isLedger(hold.table()))
                .count();
    }

    private double parked() {
        ClaimFacts known = survey.latest();
        return known == null ? Double.NaN : known.parked();
    }

    private double oldest() {
        ClaimFacts known = survey.latest();
        if (known == null) {
            return Double.NaN;
        }
        ClaimedRow row = known.oldest();
        return row == null ? 0 : BacklogGauges.seconds(row.age());
    }
}
