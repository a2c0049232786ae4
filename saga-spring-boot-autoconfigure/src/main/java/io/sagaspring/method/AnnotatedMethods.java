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
 * Finds the methods of a class that have a given annotation. The annotation may be on an interface, even if the class
 * inherits the method's implementation from a superclass that does not implement that interface. The annotation may
 * also be on an interface of a proxy or a lambda.
 *
 * @param annotation the class of the annotation
 * @param <A> the type of the annotation
 */
record AnnotatedMethods<A extends Annotation>(Class<A> annotation) {

    /**
     * Finds the annotated methods of a class, each with its annotation. If the annotation is on an interface, the
     * method is the implementation in the class.
     */
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

    /** Returns the method that is executed when {@code called} is called on an object of the class. */
    static Method implementation(Method called, Class<?> type) {
        return isOnlyInterfaces(type) ? called : AopUtils.getMostSpecificMethod(called, type);
    }

    /**
     * Returns true for JDK proxies and lambdas. Their classes are generated at run time, so only the names and methods
     * of their interfaces count.
     */
    static boolean isOnlyInterfaces(Class<?> type) {
        return Proxy.isProxyClass(type) || type.isHidden();
    }

    /**
     * Returns the class and its superclasses before their interfaces, so that an annotation on a class has precedence.
     * For a proxy or a lambda, returns only the interfaces.
     */
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
