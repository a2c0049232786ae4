package io.sagaspring.idempotency.method;

import java.lang.reflect.Method;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Methods of controllers that handle requests. Types are names, because Spring's web classes may not be on the class path. */
final class HandlerMethods {

    private static final String CONTROLLER = "org.springframework.stereotype.Controller";
    private static final String MAPPING = "org.springframework.web.bind.annotation.RequestMapping";
    private static final String EXCHANGE = "org.springframework.web.service.annotation.HttpExchange";

    private HandlerMethods() {}

    /** Returns true for a handler. A mapping alone is not enough, because an HTTP client may share an interface with mappings. */
    static boolean isHandler(Method method, Class<?> type) {
        if (!MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(CONTROLLER)) {
            return false;
        }
        MergedAnnotations onMethod = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        return onMethod.isPresent(MAPPING) || onMethod.isPresent(EXCHANGE);
    }
}
