package io.sagaspring.workflow;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
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

    /** Returns true if the validation or the action of a step works on the entity and not only on its id. */
    boolean needEntity(StepRun run) {
        Optional<String> validation = run.definition().validation().of(run.requester());
        return !isById(run.action(), StepActionById.class)
                || validation
                        .filter(name -> !isById(name, StepValidationById.class))
                        .isPresent();
    }

    private boolean isById(String name, Class<?> type) {
        return beans.isTypeMatch(name, type);
    }

    @SuppressWarnings("unchecked") // Checked at start-up, as are the types of validations and after-effects.
    ActionResult act(StepRun run, Supplier<Object> entity) throws Exception {
        String name = run.action();
        @Nullable
        ActionResult result = isById(name, StepActionById.class)
                ? ((StepActionById<Object>) beans.getBean(name)).run(run.id(), run)
                : ((StepAction<Object>) beans.getBean(name, StepAction.class)).run(entity.get(), run);
        if (result == null) {
            throw new IllegalStateException(
                    "Action '%s' returned null. It must return ActionResult.success(), failure(…) or invalid(…)."
                            .formatted(name));
        }
        return result;
    }

    @SuppressWarnings("unchecked")
    List<String> validate(StepRun run, Supplier<Object> entity) throws Exception {
        String name = run.definition().validation().of(run.requester()).orElse(null);
        if (name == null) {
            return List.of();
        }
        @Nullable
        List<String> messages = isById(name, StepValidationById.class)
                ? ((StepValidationById<Object>) beans.getBean(name)).validate(run.id(), run)
                : ((StepValidation<Object>) beans.getBean(name, StepValidation.class)).validate(entity.get(), run);
        return messages == null ? List.of() : messages;
    }

    boolean followsById(String name) {
        return isById(name, AfterEffectById.class);
    }

    @SuppressWarnings("unchecked")
    void follow(String name, Object subject, AfterEffectContext context) throws Exception {
        if (followsById(name)) {
            ((AfterEffectById<Object>) beans.getBean(name)).run(subject, context);
        } else {
            ((AfterEffect<Object>) beans.getBean(name, AfterEffect.class)).run(subject, context);
        }
    }
}
