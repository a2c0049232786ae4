package io.sagaspring.workflow;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Checks the types of the beans that steps name. It does not create the beans, because they may depend on the
 * workflows.
 */
final class StepBeanTypes {

    private final ConfigurableListableBeanFactory beans;

    StepBeanTypes(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Returns a sentence that says why the bean cannot be used, or null if it can. */
    @Nullable
    String refusal(String name, Class<?> wanted, String entity, ClassLoader classes) {
        if (!beans.containsBean(name)) {
            List<String> others = Stream.of(
                            BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, wanted, true, false))
                    .sorted()
                    .toList();
            return "There is no bean '%s'. Beans of type %s: %s.".formatted(name, wanted.getSimpleName(), others);
        }
        Class<?> type = beans.getType(name, false);
        if (type != null && !wanted.isAssignableFrom(type)) {
            return "Bean '%s' is of type %s, but must be a %s<%s>."
                    .formatted(name, type.getName(), wanted.getSimpleName(), ClassUtils.getShortName(entity));
        }
        Class<?> handled = typeOf(name, type).as(wanted).getGeneric(0).resolve();
        if (handled != null && ClassUtils.isPresent(entity, classes)) {
            Class<?> actual = ClassUtils.resolveClassName(entity, classes);
            if (!handled.isAssignableFrom(actual)) {
                return "Bean '%s' is for entity %s, but the workflow is for entity %s."
                        .formatted(name, handled.getName(), entity);
            }
        }
        return null;
    }

    boolean isNonIdempotent(String name) {
        return beans.containsBean(name) && beans.findAnnotationOnBean(name, NonIdempotent.class, false) != null;
    }

    /**
     * Returns the bean's generic type. Only the bean definition of a lambda has this type, from the method that returns
     * the lambda.
     */
    private ResolvableType typeOf(String name, @Nullable Class<?> type) {
        return beans.containsBeanDefinition(name)
                ? beans.getMergedBeanDefinition(name).getResolvableType()
                : ResolvableType.forClass(type);
    }
}
