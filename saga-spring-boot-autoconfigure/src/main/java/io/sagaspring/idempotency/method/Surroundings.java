package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.OwnerResolver;

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
