package io.sagaspring.workflow;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/**
 * The application's beans by name. They are looked up only when they are called, because they may depend on the
 * workflows.
 */
final class StepBeans {

    private final BeanFactory beans;

    StepBeans(BeanFactory beans) {
        this.beans = beans;
    }

    ActionResult act(String name, Object entity, ActionContext context) throws Exception {
        @SuppressWarnings("unchecked") // The type was checked at start-up, like the entity types of validations and
        // after-effects.
        StepAction<Object> action = beans.getBean(name, StepAction.class);
        @Nullable ActionResult result = action.run(entity, context);
        if (result == null) {
            throw new IllegalStateException(
                    "Action '%s' returned null. It must return ActionResult.success(), failure(…) or invalid(…)."
                            .formatted(name));
        }
        return result;
    }

    List<String> validate(@Nullable String name, Object entity, ActionContext context) throws Exception {
        if (name == null) {
            return List.of();
        }
        @SuppressWarnings("unchecked")
        StepValidation<Object> validation = beans.getBean(name, StepValidation.class);
        @Nullable List<String> messages = validation.validate(entity, context);
        return messages == null ? List.of() : messages;
    }

    void follow(String name, Object entity, AfterEffectContext context) throws Exception {
        @SuppressWarnings("unchecked")
        AfterEffect<Object> effect = beans.getBean(name, AfterEffect.class);
        effect.run(entity, context);
    }
}
