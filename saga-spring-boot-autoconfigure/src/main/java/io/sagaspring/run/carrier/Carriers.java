package io.sagaspring.run.carrier;

import io.micrometer.observation.ObservationRegistry;
import io.sagaspring.run.RunCarrier;
import io.sagaspring.run.RunId;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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
     * @param pages the function that returns the page of a run for people, or null if no address is known
     * @return the carrier
     */
    public static RunCarrier trace(ObservationRegistry observations, Function<RunId, @Nullable String> pages) {
        return new CarriedTrace(observations, pages);
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
