package io.sagaspring.idempotency.method;

import java.lang.reflect.Method;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Methods of controllers that are mapped to requests. By name, because Spring's web classes may not be there. */
final class HandlerMethods {

    private static final String CONTROLLER = "org.springframework.stereotype.Controller";
    private static final String MAPPING = "org.springframework.web.bind.annotation.RequestMapping";
    private static final String EXCHANGE = "org.springframework.web.service.annotation.HttpExchange";

    private HandlerMethods() {}

    /** A mapping alone makes no handler: an interface with mappings may be shared with a client of HTTP. */
    static boolean isHandler(Method method, Class<?> type) {
        if (!MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(CONTROLLER)) {
            return false;
        }
        MergedAnnotations onMethod = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        return onMethod.isPresent(MAPPING) || onMethod.isPresent(EXCHANGE);
    }
}
