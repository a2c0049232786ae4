package io.sagaspring.workflow;

import io.sagaspring.workflow.StepBeanTypes.Purpose;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/**
 * A bean that steps name as their action, validation or after-effect. The bean is looked up when it is first called,
 * because it may depend on {@link Workflows}. After that, a singleton is not looked up again.
 */
final class StepBean {

    private final BeanFactory beans;
    private final String name;
    private final boolean isById;
    private final Class<?> type;
    private volatile @Nullable Object singleton;

    StepBean(BeanFactory beans, String name, Purpose purpose) {
        this.beans = beans;
        this.name = name;
        this.isById = beans.isTypeMatch(name, purpose.byId);
        this.type = isById ? purpose.byId : purpose.onEntity;
    }

    /** Returns true if the bean works on the id of the entity, and false if it works on the entity. */
    boolean isById() {
        return isById;
    }

    /** Returns the bean, or a new instance if its scope creates one for each call. */
    Object get() {
        Object known = singleton;
        if (known != null) {
            return known;
        }
        Object created = beans.getBean(name, type);
        if (beans.isSingleton(name)) {
            singleton = created;
        }
        return created;
    }
}
