package io.sagaspring.actuate;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sagaspring.run.RunState;
import java.util.List;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows the numbers of runs that wait for a person or for a node. Reading a gauge never waits for the database. */
final class RunGauges implements MeterBinder {

    private static final Logger logger = LoggerFactory.getLogger(RunGauges.class);
    private static final List<RunState> TROUBLED =
            List.of(RunState.BLOCKED, RunState.IN_DOUBT, RunState.PARKED, RunState.COMPENSATION_FAILED);

    private final Survey<RunFacts> survey;
    private final IntSupplier freeSlots;

    /**
     * Creates gauges that are not registered yet.
     *
     * @param survey the survey that holds the latest facts from the database
     * @param freeSlots the supplier of the number of runs that this node could pick up now
     */
    public RunGauges(Survey<RunFacts> survey, IntSupplier freeSlots) {
        this.survey = survey;
        this.freeSlots = freeSlots;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        // A registry that refuses a meter must not make the application fail at start-up.
        try {
            for (RunState state : TROUBLED) {
                Gauge.builder("saga.runs.troubled", () -> count(state))
                        .description(
                                "Number of runs, on all nodes, that wait for a person. Read from the database at intervals.")
                        .tag("state", state.text())
                        .register(registry);
            }
            BacklogGauges.bind(registry, "saga.runs", "runs", () -> {
                RunFacts known = survey.latest();
                return known == null ? null : known.backlog();
            });
            Gauge.builder("saga.runs.slots.free", freeSlots::getAsInt)
                    .description("Free slots for runs on this node.")
                    .register(registry);
        } catch (RuntimeException failed) {
            logger.warn("Could not register the gauges of runs in {}", registry, failed);
        }
    }

    private double count(RunState state) {
        RunFacts known = survey.latest();
        return known == null ? Double.NaN : known.troubled().getOrDefault(state, 0L);
    }
}
