package io.sagaspring.method;

import java.lang.reflect.Method;
import java.util.Set;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Finds methods that return before their work begins. The advice of such a method cannot act after the work. */
final class AsyncMethods {

    /**
     * The annotations with which Spring executes a method on another thread. They are given as names, because Jakarta's
     * annotations may be missing from the class path.
     */
    private static final Set<String> ANNOTATIONS = Set.of(
            "org.springframework.scheduling.annotation.Async",
            "jakarta.ejb.Asynchronous",
            "jakarta.enterprise.concurrent.Asynchronous");

    private AsyncMethods() {}

    /** Returns true if the method or its class has one of the annotations, even as a meta-annotation. */
    static boolean isAsync(Method method, Class<?> type) {
        MergedAnnotations onMethod = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        MergedAnnotations onClass = MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY);
        return ANNOTATIONS.stream().anyMatch(each -> onMethod.isPresent(each) || onClass.isPresent(each));
    }
}
