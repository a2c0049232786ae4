package io.sagaspring.run.carrier;

import io.micrometer.observation.ObservationRegistry;
import io.sagaspring.run.RunCarrier;

/**
 * Creates the library's own carriers.
 *
 * @since 0.1.0
 */
public final class Carriers {

    private Carriers() {}

    /**
     * Creates the carrier of the log context.
     *
     * @return the carrier
     */
    public static RunCarrier logContext() {
        return new CarriedLogContext();
    }

    /**
     * Creates the carrier of the trace.
     *
     * @param observations the registry that records each execution of a run as an observation
     * @return the carrier
     */
    public static RunCarrier trace(ObservationRegistry observations) {
        return new CarriedTrace(observations);
    }

    /**
     * Creates the carrier of the user, by name and authorities. This carrier needs Spring Security.
     *
     * @return the carrier
     */
    public static RunCarrier user() {
        return new CarriedUser();
    }
}
