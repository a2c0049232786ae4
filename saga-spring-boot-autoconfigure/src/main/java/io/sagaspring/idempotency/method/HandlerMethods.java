package io.sagaspring.idempotency.method;

import java.lang.reflect.Method;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Recognizes the methods of controllers that handle requests. Refers to types by name, because Spring's web classes may
 * be missing from the class path.
 */
final class HandlerMethods {

    private static final String CONTROLLER = "org.springframework.stereotype.Controller";
    private static final String MAPPING = "org.springframework.web.bind.annotation.RequestMapping";
    private static final String EXCHANGE = "org.springframework.web.service.annotation.HttpExchange";

    private HandlerMethods() {}

    /**
     * Returns true for a handler. A mapping annotation alone is not enough, because an HTTP client may implement the
     * same interface as a controller.
     */
    static boolean isHandler(Method method, Class<?> type) {
        if (!MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(CONTROLLER)) {
            return false;
        }
        MergedAnnotations onMethod = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        return onMethod.isPresent(MAPPING) || onMethod.isPresent(EXCHANGE);
    }
}
