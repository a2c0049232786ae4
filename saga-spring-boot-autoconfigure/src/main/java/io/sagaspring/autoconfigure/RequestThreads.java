package io.sagaspring.autoconfigure;

import java.util.function.BooleanSupplier;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;

/** Recognizes the threads that serve web requests. */
final class RequestThreads {

    private RequestThreads() {}

    /**
     * Returns a function that checks whether the current thread serves a web request. Without Spring Web, the function
     * always returns false.
     */
    static BooleanSupplier check() {
        boolean isWeb = ClassUtils.isPresent(
                "org.springframework.web.context.request.RequestContextHolder", RequestThreads.class.getClassLoader());
        return isWeb ? Web::isInRequest : () -> false;
    }

    /** This class is loaded only if Spring Web is present. */
    private static final class Web {

        static boolean isInRequest() {
            return RequestContextHolder.getRequestAttributes() != null;
        }
    }
}
