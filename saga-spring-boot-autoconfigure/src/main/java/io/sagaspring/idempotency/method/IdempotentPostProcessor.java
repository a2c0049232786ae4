package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.IdempotentFaultsException;
import io.sagaspring.method.AdvisingPostProcessor;
import io.sagaspring.method.MethodFaultsException;
import java.util.List;

/** Puts a proxy before every bean that has a method annotated {@link Idempotent}. */
public final class IdempotentPostProcessor extends AdvisingPostProcessor {

    /**
     * Where it stands: behind the method security of Spring Security, whose advice has orders of 100 to 600, so that nobody
     * is replayed what he may not ask for; before transactions, retries and caches, which have none and come last, so that
     * its claim is committed before they begin.
     */
    static final int ORDER = 1000;

    private static final long serialVersionUID = 1L;

    /**
     * A post-processor for a context.
     *
     * @param surroundings the application
     */
    public IdempotentPostProcessor(Surroundings surroundings) {
        this(new IdempotentMethods(surroundings), surroundings);
    }

    private IdempotentPostProcessor(IdempotentMethods methods, Surroundings surroundings) {
        super(methods, new IdempotentInterceptor(methods, surroundings), ORDER);
    }

    @Override
    protected MethodFaultsException refusal(List<String> faults) {
        return new IdempotentFaultsException(faults);
    }
}
