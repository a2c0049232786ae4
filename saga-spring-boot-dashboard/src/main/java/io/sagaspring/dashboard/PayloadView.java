package io.sagaspring.dashboard;

import java.security.Principal;
import org.jspecify.annotations.Nullable;

/**
 * Decides how much of a value a person sees. Define a bean of this type to hide some values, or to hide values from some
 * people. The setting {@code saga.dashboard.payloads} is the limit: a bean cannot show more.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface PayloadView {

    /**
     * Decides about one value. The dashboard asks only for a person with the permission {@link
     * SagaPermission#PAYLOADS}.
     *
     * @param payload the value
     * @param person the authenticated person, or null if the request is anonymous
     * @return the visibility of the value
     */
    PayloadVisibility visibilityOf(Payload payload, @Nullable Principal person);

    /**
     * The place of a stored value.
     *
     * @param run the name of the run's code
     * @param tenant the tenant of the run, or null
     * @param kind the kind of the value
     * @param name the name of the step or signal, or an empty text for the input and the result of the run
     */
    record Payload(String run, @Nullable String tenant, Kind kind, String name) {}

    /** The kinds of values. */
    enum Kind {
        /** The input of a run. */
        INPUT,
        /** The result of a step. */
        STEP,
        /** The value of a signal. */
        SIGNAL,
        /** The result of a run. */
        RESULT
    }
}
