package io.sagaspring.idempotency;

import java.lang.reflect.Method;
import java.util.Set;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Methods that return before they begin: a key around one would be completed before its work is done, or fails. */
public final class AsyncMethods {

    /** What Spring takes for its own. By name, because those of Jakarta may not be there. */
    private static final Set<String> ANNOTATIONS = Set.of(
            "org.springframework.scheduling.annotation.Async",
            "jakarta.ejb.Asynchronous",
            "jakarta.enterprise.concurrent.Asynchronous");

    private AsyncMethods() {}

    /**
     * Whether a call hands the method to another thread, as the method or its class says, or an annotation on either.
     *
     * @param method the method
     * @param type the class whose method it is called as
     * @return whether it does
     */
    public static boolean isAsync(Method method, Class<?> type) {
        MergedAnnotations onMethod = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        MergedAnnotations onClass = MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY);
        return ANNOTATIONS.stream().anyMatch(each -> onMethod.isPresent(each) || onClass.isPresent(each));
    }
}
