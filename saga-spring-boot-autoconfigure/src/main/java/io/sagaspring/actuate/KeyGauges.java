package io.sagaspring.actuate;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows the space that idempotency keys use in the database. Reading a gauge never waits for the database. */
final class KeyGauges implements MeterBinder {

    private static final Logger logger = LoggerFactory.getLogger(KeyGauges.class);

    private final Survey<Long> survey;

    /**
     * Creates gauges that are not registered yet.
     *
     * @param survey the survey that holds the latest known size in bytes
     */
    public KeyGauges(Survey<Long> survey) {
        this.survey = survey;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        // A registry that refuses a meter must not make the application fail at start-up.
        try {
            Gauge.builder("saga.idempotency.stored", this, KeyGauges::stored)
                    .description(
                            "Size of the table of idempotency keys with its indexes. Read from the database at intervals.")
                    .baseUnit("bytes")
                    .register(registry);
        } catch (RuntimeException failed) {
            logger.warn("Could not register the gauges of idempotency keys in {}", registry, failed);
        }
    }

    private double stored() {
        Long known = survey.latest();
        return known == null ? Double.NaN : known;
    }
}
