package io.sagaspring.run.carrier;

import io.micrometer.observation.ObservationRegistry;
import io.sagaspring.run.RunCarrier;

/**
 * Makes the carriers that the library brings.
 *
 * @since 0.1.0
 */
public final class Carriers {

    private Carriers() {}

    /**
     * Carries the log context.
     *
     * @return the carrier
     */
    public static RunCarrier logContext() {
        return new CarriedLogContext();
    }

    /**
     * Carries the trace.
     *
     * @param observations where each activation of a run is an observation
     * @return the carrier
     */
    public static RunCarrier trace(ObservationRegistry observations) {
        return new CarriedTrace(observations);
    }

    /**
     * Carries the user, by name and authorities. Needs Spring Security.
     *
     * @return the carrier
     */
    public static RunCarrier user() {
        return new CarriedUser();
    }
}
