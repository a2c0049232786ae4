package io.sagaspring.method;

import java.lang.reflect.Method;
import java.util.Set;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Methods that return before they begin, so that nothing can be done after them. */
final class AsyncMethods {

    /** What Spring takes for its own. By name, because those of Jakarta may not be there. */
    private static final Set<String> ANNOTATIONS = Set.of(
            "org.springframework.scheduling.annotation.Async",
            "jakarta.ejb.Asynchronous",
            "jakarta.enterprise.concurrent.Asynchronous");

    private AsyncMethods() {}

    /** Whether a call hands the method to another thread, as the method or its class says, or an annotation on either. */
    static boolean isAsync(Method method, Class<?> type) {
        MergedAnnotations onMethod = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        MergedAnnotations onClass = MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY);
        return ANNOTATIONS.stream().anyMatch(each -> onMethod.isPresent(each) || onClass.isPresent(each));
    }
}
