package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.IdempotentFaultsException;
import io.sagaspring.idempotency.OwnerResolver;
import io.sagaspring.method.AdvisingPostProcessor;
import io.sagaspring.method.MethodFaultsException;
import java.util.List;

/**
 * Creates a proxy for every bean that has an {@link Idempotent} method.
 *
 * @since 0.1.0
 */
public final class IdempotentPostProcessor extends AdvisingPostProcessor {

    /**
     * The order of the advice.
     *
     * <p>The advice comes after Spring Security's method security, whose orders are 100 to 600, so that a caller
     * without permission gets no stored reply. The advice comes before transactions, retries and caches, which have the
     * lowest precedence by default. So the claim is committed before any of these begins.
     */
    static final int ORDER = 1000;

    private static final long serialVersionUID = 1L;

    /**
     * Creates a post-processor for an application.
     *
     * @param application the access to the application's beans
     */
    public IdempotentPostProcessor(Application application) {
        this(new IdempotentMethods(application), application);
    }

    private IdempotentPostProcessor(IdempotentMethods methods, Application application) {
        super(methods, new IdempotentInterceptor(methods, application), ORDER);
    }

    @Override
    protected MethodFaultsException refusal(List<String> faults) {
        return new IdempotentFaultsException(faults);
    }

    /** Gives lazy access to the application's beans, because a post-processor is created before all other beans. */
    public interface Application {

        /** The ways in which controller methods that are mapped to requests are protected. */
        enum Handlers {
            /** The application has no handler adapter of Spring MVC, so requests do not reach these methods. */
            UNPROTECTED,
            /** Requests reach these methods, and the header {@code Idempotency-Key} protects them. */
            PROTECTED,
            /** The application is reactive. Requests reach these methods, but the header is not read. */
            UNSUPPORTED
        }

        /**
         * Returns the way in which controller methods are protected.
         *
         * @return the kind of protection in this application
         */
        Handlers handlers();

        /**
         * Returns true if the application has its own codec. The library cannot find out which types such a codec can
         * read.
         *
         * @return true if the application defines the codec
         */
        boolean hasOwnCodec();

        /**
         * Resolves the placeholders {@code ${…}} in an attribute of an annotation.
         *
         * @param text the text with placeholders
         * @return the resolved text
         */
        String resolve(String text);

        /**
         * Returns the template that executes methods once.
         *
         * @return the library's own template, even if the application has others
         */
        Idempotency idempotency();

        /**
         * Returns the resolver of the keys' owners.
         *
         * @return the application's resolver
         */
        OwnerResolver owners();
    }
}
