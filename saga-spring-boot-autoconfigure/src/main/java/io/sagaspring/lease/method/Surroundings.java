package io.sagaspring.lease.method;

import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.Leased;
import io.sagaspring.method.MethodReading;
import java.time.Duration;
import java.util.List;

/** The application around the methods. It is asked when something is needed, because a post-processor is made before all else. */
public interface Surroundings {

    /**
     * Resolves what an annotation writes as {@code ${…}}.
     *
     * @param text as it is written
     * @return as it is meant
     */
    String resolve(String text);

    /**
     * What this node renews in time.
     *
     * @return the shortest time that a lease may last for
     */
    Duration shortest();

    /**
     * What else is said of a method that leaves no room for a lease.
     *
     * @param reading of the method
     * @param said what it says of its lease
     * @return sentences without a subject
     */
    List<String> contradictions(MethodReading reading, Leased said);

    /**
     * Where names are acquired.
     *
     * @return the library's own leases, whatever others the application has
     */
    LeaseManager leases();
}
