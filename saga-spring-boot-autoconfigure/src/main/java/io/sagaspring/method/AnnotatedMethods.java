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
 * The methods of a class that bear an annotation, wherever it stands: also on the interface of a method that the class
 * inherits from another class, and on that of a proxy or a lambda.
 *
 * @param annotation the one that is looked for
 * @param <A> its type
 */
record AnnotatedMethods<A extends Annotation>(Class<A> annotation) {

    /** Each as it is carried out when it is called on an object of this class. */
    Map<Method, A> of(Class<?> type) {
        Set<Class<?>> declaring = declaring(type);
        if (declaring.stream().noneMatch(this::declaresAny)) {
            return Map.of();
        }
        Map<Method, A> found = new LinkedHashMap<>();
        declaring.forEach(each -> ReflectionUtils.doWithLocalMethods(each, method -> {
            A said = method.isBridge() ? null : AnnotatedElementUtils.findMergedAnnotation(method, annotation);
            if (said != null) {
                found.putIfAbsent(carriedOut(method, type), said);
            }
        }));
        return found;
    }

    /** The method that does what is called. */
    static Method carriedOut(Method called, Class<?> type) {
        return isOnlyInterfaces(type) ? called : AopUtils.getMostSpecificMethod(called, type);
    }

    /** Whether the class was made at run time, so that neither its name nor its own methods mean anything. */
    static boolean isOnlyInterfaces(Class<?> type) {
        return Proxy.isProxyClass(type) || type.isHidden();
    }

    /** Classes first, so that what they say comes before what their interfaces do. */
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
