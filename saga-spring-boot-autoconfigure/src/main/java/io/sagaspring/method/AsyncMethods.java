package io.sagaspring.method;

import java.lang.reflect.Method;
import java.util.Set;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** The methods that return before they begin, so that no advice can act after them. */
final class AsyncMethods {

    /** The annotations that Spring accepts. They are names, because those of Jakarta may not be on the class path. */
    private static final Set<String> ANNOTATIONS = Set.of(
            "org.springframework.scheduling.annotation.Async",
            "jakarta.ejb.Asynchronous",
            "jakarta.enterprise.concurrent.Asynchronous");

    private AsyncMethods() {}

    /** Returns true if the method or its class has one of the annotations, also as a meta-annotation. */
    static boolean isAsync(Method method, Class<?> type) {
        MergedAnnotations onMethod = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        MergedAnnotations onClass = MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY);
        return ANNOTATIONS.stream().anyMatch(each -> onMethod.isPresent(each) || onClass.isPresent(each));
    }
}
