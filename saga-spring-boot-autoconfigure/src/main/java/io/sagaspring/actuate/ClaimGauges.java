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

/** Shows what is at this moment. Reading a gauge never waits for the database. */
final class ClaimGauges implements MeterBinder {

    private static final Logger logger = LoggerFactory.getLogger(ClaimGauges.class);

    private final Keeper keeper;
    private final ClaimLedger ledger;
    private final Survey<ClaimFacts> survey;
    private final IntSupplier freeSlots;

    /**
     * Gauges that are in no registry yet.
     *
     * @param keeper knows what this node holds
     * @param ledger tells claims from other things that are held
     * @param survey knows what the database has last said
     * @param freeSlots counts the due work that this node could begin now
     */
    public ClaimGauges(Keeper keeper, ClaimLedger ledger, Survey<ClaimFacts> survey, IntSupplier freeSlots) {
        this.keeper = keeper;
        this.ledger = ledger;
        this.survey = survey;
        this.freeSlots = freeSlots;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        // A registry that refuses a meter must not refuse the start.
        try {
            Gauge.builder("saga.claims.kept", this, ClaimGauges::kept)
                    .description("Claims that this node holds and keeps alive.")
                    .register(registry);
            Gauge.builder("saga.claims.oldest", this, ClaimGauges::oldest)
                    .description("Age of the oldest claim, on all nodes, when it was last looked for.")
                    .baseUnit("seconds")
                    .register(registry);
            Gauge.builder("saga.due.parked", this, ClaimGauges::parked)
                    .description("Due work that waits for a person, on all nodes, when it was last looked for.")
                    .register(registry);
            BacklogGauges.bind(registry, "saga.due", "Due work", () -> {
                ClaimFacts known = survey.latest();
                return known == null ? null : known.backlog();
            });
            Gauge.builder("saga.due.slots.free", freeSlots::getAsInt)
                    .description("Pieces of due work that this node could begin now.")
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

    private double oldest() {
        ClaimFacts known = survey.latest();
        if (known == null) {
            return Double.NaN;
        }
        ClaimedRow row = known.oldest();
        return row == null ? 0 : BacklogGauges.seconds(row.age());
    }
}
