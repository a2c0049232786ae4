package io.sagaspring.lease.method;

import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.Leased;
import io.sagaspring.method.AdvisingPostProcessor;
import io.sagaspring.method.MethodFaultsException;
import io.sagaspring.method.MethodReading;
import java.time.Duration;
import java.util.List;

/**
 * Puts a proxy before every bean that has a method annotated {@link Leased}.
 *
 * @since 0.1.0
 */
public final class LeasedPostProcessor extends AdvisingPostProcessor {

    /**
     * Where it stands: behind the keys of {@code @Idempotent}, at 1000, so that a repetition needs no lease; before
     * transactions, retries and caches, which have no order and come last, so that the lease is there before they begin, and
     * until they have ended.
     */
    static final int ORDER = 1100;

    private static final long serialVersionUID = 1L;

    /**
     * A post-processor for a context.
     *
     * @param surroundings the application
     */
    public LeasedPostProcessor(Surroundings surroundings) {
        this(new LeasedMethods(surroundings), surroundings);
    }

    private LeasedPostProcessor(LeasedMethods methods, Surroundings surroundings) {
        super(methods, new LeasedInterceptor(methods, surroundings), ORDER);
    }

    @Override
    protected MethodFaultsException refusal(List<String> faults) {
        return new LeasedFaultsException(faults);
    }

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
}
