package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.IdempotentFaultsException;
import io.sagaspring.idempotency.OwnerResolver;
import io.sagaspring.method.AdvisingPostProcessor;
import io.sagaspring.method.MethodFaultsException;
import java.util.List;

/**
 * Puts a proxy before every bean that has a method annotated {@link Idempotent}.
 *
 * @since 0.1.0
 */
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

    /** The application around the methods. It is asked when something is needed, because a post-processor is made before all else. */
    public interface Surroundings {

        /** What becomes of requests that are mapped to methods of controllers. */
        enum Handlers {
            /** Nobody hands requests to them. */
            NEVER_ASKED,
            /** They are asked with a header, and protected by that. */
            PROTECTED,
            /** They are asked, and nobody reads the header. */
            UNSUPPORTED
        }

        /**
         * Who protects handlers.
         *
         * @return what becomes of their requests
         */
        Handlers handlers();

        /**
         * Whether replies are written in the application's own way, of which nothing is known.
         *
         * @return whether the application has brought a codec
         */
        boolean hasOwnCodec();

        /**
         * Resolves what an annotation writes as {@code ${…}}.
         *
         * @param text as it is written
         * @return as it is meant
         */
        String resolve(String text);

        /**
         * What carries methods out once.
         *
         * @return the library's own template, whatever others the application has
         */
        Idempotency idempotency();

        /**
         * Who knows whose keys they are.
         *
         * @return the application's resolver
         */
        OwnerResolver owners();
    }
}
