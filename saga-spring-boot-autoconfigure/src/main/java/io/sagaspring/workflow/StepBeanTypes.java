package io.sagaspring.workflow;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Checks the types of the beans that steps name. This class does not create the beans, because they may depend on
 * {@link Workflows}.
 */
final class StepBeanTypes {

    private final ConfigurableListableBeanFactory beans;

    StepBeanTypes(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * The purposes of beans. For each purpose there are two types of bean: one works on the entity, and the other needs
     * only the entity's id.
     */
    enum Purpose {
        ACTION(StepAction.class, StepActionById.class),
        VALIDATION(StepValidation.class, StepValidationById.class),
        AFTER_EFFECT(AfterEffect.class, AfterEffectById.class);

        final Class<?> onEntity;
        final Class<?> byId;

        Purpose(Class<?> onEntity, Class<?> byId) {
            this.onEntity = onEntity;
            this.byId = byId;
        }

        private boolean isFulfilledBy(Class<?> type) {
            return onEntity.isAssignableFrom(type) || byId.isAssignableFrom(type);
        }
    }

    /**
     * An entity, as far as it is known.
     *
     * @param name the name of its class as it is configured
     * @param type its class, or null if there is none
     * @param id the class of its ids, or null if its mapping is not supported
     */
    record Handled(
            String name, @Nullable Class<?> type, @Nullable Class<?> id) {}

    /** Returns a sentence that says why a bean cannot be used for a purpose, or null if it can be used. */
    @Nullable
    String refusal(String name, Purpose wanted, Handled entity) {
        if (!beans.containsBean(name)) {
            List<String> others = Stream.of(wanted.onEntity, wanted.byId)
                    .flatMap(type ->
                            Stream.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false)))
                    .distinct()
                    .sorted()
                    .toList();
            return "There is no bean '%1$s'. Beans of type %2$s or %2$sById: %3$s."
                    .formatted(name, wanted.onEntity.getSimpleName(), others);
        }
        Class<?> type = beans.getType(name, false);
        if (type != null && !wanted.isFulfilledBy(type)) {
            return "Bean '%s' is of type %s, but must be a %s<%s> or a %s."
                    .formatted(
                            name,
                            type.getName(),
                            wanted.onEntity.getSimpleName(),
                            ClassUtils.getShortName(entity.name()),
                            wanted.byId.getSimpleName());
        }
        if (type != null && wanted.onEntity.isAssignableFrom(type) && wanted.byId.isAssignableFrom(type)) {
            return "Bean '%s' is a %s and also a %s, so it is unclear which of them to call. Implement only one."
                    .formatted(name, wanted.onEntity.getSimpleName(), wanted.byId.getSimpleName());
        }
        return generic(name, type, wanted, entity);
    }

    /** Checks the type of the entity, or of the id, that the bean works on. */
    private @Nullable String generic(String name, @Nullable Class<?> type, Purpose wanted, Handled entity) {
        ResolvableType declared = typeOf(name, type);
        Class<?> handled = declared.as(wanted.onEntity).getGeneric(0).resolve();
        if (handled != null && entity.type() != null && !handled.isAssignableFrom(entity.type())) {
            return "Bean '%s' is for entity %s, but the workflow is for entity %s."
                    .formatted(name, handled.getName(), entity.name());
        }
        Class<?> id = declared.as(wanted.byId).getGeneric(0).resolve();
        if (id != null && entity.id() != null && !id.isAssignableFrom(entity.id())) {
            return "Bean '%s' is for ids of type %s, but the ids of %s are of type %s."
                    .formatted(name, id.getName(), entity.name(), entity.id().getName());
        }
        return null;
    }

    boolean isNonIdempotent(String name) {
        return beans.containsBean(name) && beans.findAnnotationOnBean(name, NonIdempotent.class, false) != null;
    }

    /**
     * Returns the bean's generic type. The class of a lambda does not show this type, but the bean definition does: it
     * is the type that the {@code @Bean} method returns.
     */
    private ResolvableType typeOf(String name, @Nullable Class<?> type) {
        return beans.containsBeanDefinition(name)
                ? beans.getMergedBeanDefinition(name).getResolvableType()
                : ResolvableType.forClass(type);
    }
}
