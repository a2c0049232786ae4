package io.sagaspring.run;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.transaction.annotation.Transactional;

/**
 * Finds declared transactions in classes that must not use any.
 *
 * @since 0.1.0
 */
public final class TransactionalMethods {

    private static final List<String> ANNOTATIONS =
            List.of(Transactional.class.getName(), "jakarta.transaction.Transactional");

    private TransactionalMethods() {}

    /**
     * Finds the transactional parts of a class.
     *
     * @param type the class of a bean, without any proxy
     * @param method selects the methods to check
     * @return the class, if it is annotated, and the annotated methods, each formatted for use in a sentence
     */
    public static List<String> of(Class<?> type, Predicate<Method> method) {
        List<String> found = new ArrayList<>();
        if (isTransactional(type)) {
            found.add("class");
        }
        Stream.<Class<?>>iterate(type, each -> each != null && each != Object.class, Class::getSuperclass)
                .flatMap(each -> Arrays.stream(each.getDeclaredMethods()))
                .filter(each -> !each.isSynthetic() && method.test(each) && isTransactional(each))
                .map(each -> "method '%s'".formatted(each.getName()))
                .distinct()
                .sorted(Comparator.naturalOrder())
                .forEach(found::add);
        return found;
    }

    private static boolean isTransactional(AnnotatedElement element) {
        MergedAnnotations annotations = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
        return ANNOTATIONS.stream().anyMatch(annotations::isPresent);
    }
}
