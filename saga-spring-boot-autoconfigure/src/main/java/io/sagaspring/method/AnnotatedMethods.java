package io.sagaspring.method;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/**
 * The methods of a class that have an annotation. The annotation may be on an interface, even if the class inherits the
 * implementation from a class without that interface. The annotation may also be on an interface of a proxy or a
 * lambda.
 *
 * @param annotation the annotation
 * @param <A> its type
 */
record AnnotatedMethods<A extends Annotation>(Class<A> annotation) {

    /** Finds the annotated methods that a call on an object of this class executes, with their annotations. */
    Map<Method, A> of(Class<?> type) {
        Set<Class<?>> declaring = declaring(type);
        if (declaring.stream().noneMatch(this::declaresAny)) {
            return Map.of();
        }
        Map<Method, A> found = new LinkedHashMap<>();
        declaring.forEach(each -> ReflectionUtils.doWithLocalMethods(each, method -> {
            A merged = method.isBridge() ? null : AnnotatedElementUtils.findMergedAnnotation(method, annotation);
            if (merged != null) {
                found.putIfAbsent(implementation(method, type), merged);
            }
        }));
        return found;
    }

    /** Returns the method that a call executes. */
    static Method implementation(Method called, Class<?> type) {
        return isOnlyInterfaces(type) ? called : AopUtils.getMostSpecificMethod(called, type);
    }

    /**
     * Returns true for a class that was generated at run time. For such a class, only the names and methods of its
     * interfaces count.
     */
    static boolean isOnlyInterfaces(Class<?> type) {
        return Proxy.isProxyClass(type) || type.isHidden();
    }

    /** Returns the classes before the interfaces, so that an annotation on a class has precedence. */
    private static Set<Class<?>> declaring(Class<?> type) {
        Set<Class<?>> classes = new LinkedHashSet<>();
        Set<Class<?>> interfaces = new LinkedHashSet<>();
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            classes.add(each);
            addInterfaces(each, interfaces);
        }
        if (isOnlyInterfaces(type)) {
            return interfaces;
        }
        classes.addAll(interfaces);
        return classes;
    }

    private static void addInterfaces(Class<?> type, Set<Class<?>> interfaces) {
        for (Class<?> each : type.getInterfaces()) {
            if (interfaces.add(each)) {
                addInterfaces(each, interfaces);
            }
        }
    }

    private boolean declaresAny(Class<?> type) {
        boolean[] found = new boolean[1];
        ReflectionUtils.doWithLocalMethods(
                type, method -> found[0] |= MergedAnnotations.from(method).isPresent(annotation));
        return found[0];
    }
}
