package io.sagaspring.lease.method;

import io.sagaspring.lease.Leased;
import io.sagaspring.lease.LeasedFaultsException;
import io.sagaspring.method.AdvisingPostProcessor;
import io.sagaspring.method.MethodFaultsException;
import java.util.List;

/** Puts a proxy before every bean that has a method annotated {@link Leased}. */
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
}
