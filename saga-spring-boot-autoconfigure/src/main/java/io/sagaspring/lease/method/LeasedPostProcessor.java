package io.sagaspring.lease.method;

import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.Leased;
import io.sagaspring.method.AdvisingPostProcessor;
import io.sagaspring.method.MethodFaultsException;
import io.sagaspring.method.MethodReading;
import java.time.Duration;
import java.util.List;

/**
 * Creates a proxy for every bean that has a method annotated {@link Leased}.
 *
 * @since 0.1.0
 */
public final class LeasedPostProcessor extends AdvisingPostProcessor {

    /**
     * The order of the advice. {@code @Idempotent}, at 1000, comes before this advice, so that a duplicate request
     * needs no lease. Transactions, retries and caches have the lowest precedence by default, so they come after this
     * advice. The lease is therefore acquired before they begin and released after they end.
     */
    static final int ORDER = 1100;

    private static final long serialVersionUID = 1L;

    /**
     * Creates a post-processor for an application.
     *
     * @param application the access to the application's beans
     */
    public LeasedPostProcessor(Application application) {
        this(new LeasedMethods(application), application);
    }

    private LeasedPostProcessor(LeasedMethods methods, Application application) {
        super(methods, new LeasedInterceptor(methods, application), ORDER);
    }

    @Override
    protected MethodFaultsException refusal(List<String> faults) {
        return new LeasedFaultsException(faults);
    }

    /**
     * Gives access to the application's beans. Each bean is looked up when it is needed, because a post-processor is
     * created before other beans.
     */
    public interface Application {

        /**
         * Resolves the placeholders <code>${…}</code> of an annotation's attribute.
         *
         * @param text the text of the attribute
         * @return the text with its placeholders replaced
         */
        String resolve(String text);

        /**
         * Returns the shortest lease duration that this node renews in time.
         *
         * @return the shortest allowed duration
         */
        Duration shortest();

        /**
         * Finds settings of a method that are incompatible with its lease.
         *
         * @param reading the method
         * @param annotation the annotation of the method
         * @return the contradictions, each the rest of a sentence that begins with the method's name
         */
        List<String> contradictions(MethodReading reading, Leased annotation);

        /**
         * Returns the manager that acquires the leases.
         *
         * @return the library's own manager, even if the application defines others
         */
        LeaseManager leases();
    }
}
