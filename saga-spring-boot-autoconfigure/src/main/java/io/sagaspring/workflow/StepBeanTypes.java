package io.sagaspring.workflow;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** What is known of the beans that steps name, without creating one: they may need the workflows themselves. */
final class StepBeanTypes {

    private final ConfigurableListableBeanFactory beans;

    StepBeanTypes(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Says in a sentence why the bean cannot be used there, or nothing if it can. */
    @Nullable
    String refusal(String name, Class<?> wanted, String entity, ClassLoader classes) {
        if (!beans.containsBean(name)) {
            List<String> others = Stream.of(
                            BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, wanted, true, false))
                    .sorted()
                    .toList();
            return "There is no bean '%s'. Of type %s there are: %s.".formatted(name, wanted.getSimpleName(), others);
        }
        Class<?> type = beans.getType(name, false);
        if (type != null && !wanted.isAssignableFrom(type)) {
            return "Bean '%s' is a %s, and must be a %s<%s>."
                    .formatted(name, type.getName(), wanted.getSimpleName(), ClassUtils.getShortName(entity));
        }
        Class<?> about = typeOf(name, type).as(wanted).getGeneric(0).resolve();
        if (about != null && ClassUtils.isPresent(entity, classes)) {
            Class<?> actual = ClassUtils.resolveClassName(entity, classes);
            if (!about.isAssignableFrom(actual)) {
                return "Bean '%s' is about %s, and the workflow is about %s.".formatted(name, about.getName(), entity);
            }
        }
        return null;
    }

    boolean isNonIdempotent(String name) {
        return beans.containsBean(name) && beans.findAnnotationOnBean(name, NonIdempotent.class, false) != null;
    }

    /** A lambda knows its entity only by the method that made it. */
    private ResolvableType typeOf(String name, @Nullable Class<?> type) {
        return beans.containsBeanDefinition(name)
                ? beans.getMergedBeanDefinition(name).getResolvableType()
                : ResolvableType.forClass(type);
    }
}
