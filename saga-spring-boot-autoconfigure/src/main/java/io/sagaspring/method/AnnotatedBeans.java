package io.sagaspring.method;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Finds beans with annotated methods, without creating them. Classes of Spring itself are skipped.
 *
 * @since 0.1.0
 */
public final class AnnotatedBeans {

    private AnnotatedBeans() {}

    /**
     * A bean with annotated methods.
     *
     * @param name the name of the bean
     * @param type the class of the bean, without any proxy
     * @param exposed the class of the bean object, which may be a proxy, or null if it is not known
     * @param methods the annotated methods of the bean
     * @param <A> the annotation
     */
    public record Bean<A extends Annotation>(
            String name, Class<?> type, @Nullable Class<?> exposed, Map<Method, A> methods) {}

    /**
     * Finds the beans.
     *
     * @param beans the beans of the application
     * @param annotation the annotation
     * @param <A> the annotation
     * @return the beans that have at least one annotated method
     */
    public static <A extends Annotation> List<Bean<A>> find(
            ConfigurableListableBeanFactory beans, Class<A> annotation) {
        AnnotatedMethods<A> annotated = new AnnotatedMethods<>(annotation);
        List<Bean<A>> found = new ArrayList<>();
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            Bean<A> bean = ScopedProxyUtils.isScopedTarget(name) ? null : bean(beans, name, annotated);
            if (bean != null) {
                found.add(bean);
            }
        }
        return found;
    }

    private static <A extends Annotation> @Nullable Bean<A> bean(
            ConfigurableListableBeanFactory beans, String name, AnnotatedMethods<A> annotated) {
        Class<?> type = target(beans, name);
        if (type == null || type.getName().startsWith("org.springframework.")) {
            return null;
        }
        Class<?> user = ClassUtils.getUserClass(type);
        Map<Method, A> methods = annotated.of(user);
        return methods.isEmpty() ? null : new Bean<>(name, user, beans.getType(name, false), methods);
    }

    private static @Nullable Class<?> target(ConfigurableListableBeanFactory beans, String name) {
        Class<?> type = original(beans, name);
        if (type != null && ScopedObject.class.isAssignableFrom(type)) {
            Class<?> scoped = original(beans, ScopedProxyUtils.getTargetBeanName(name));
            return scoped == null ? type : scoped;
        }
        return type;
    }

    /**
     * Returns the class of a bean without its proxy. A bean that does not exist yet has no proxy, and determining its
     * target class could create the bean.
     */
    private static @Nullable Class<?> original(ConfigurableListableBeanFactory beans, String name) {
        return beans.containsSingleton(name)
                ? AutoProxyUtils.determineTargetClass(beans, name)
                : beans.getType(name, false);
    }
}
