package io.sagaspring.workflow;

import io.sagaspring.workflow.StepBeanTypes.Purpose;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/**
 * The application's beans for actions, validations and after-effects, by name. They are looked up only when they are
 * called, because they may depend on {@link Workflows}.
 */
final class StepBeans {

    private final BeanFactory beans;
    private final Map<String, StepBean> actions = new ConcurrentHashMap<>();
    private final Map<String, StepBean> validations = new ConcurrentHashMap<>();
    private final Map<String, StepBean> afterEffects = new ConcurrentHashMap<>();

    StepBeans(BeanFactory beans) {
        this.beans = beans;
    }

    /** Validates a step, and runs its action unless the validation has objections. */
    ActionResult judge(StepRun run, Supplier<Object> entity) throws Exception {
        List<String> objections = validate(run, entity);
        return objections.isEmpty() ? act(run, entity) : new ActionResult.Invalid(objections);
    }

    /** Returns true if the validation or the action of a step works on the entity and not only on its id. */
    boolean needEntity(StepRun run) {
        Optional<String> validation = run.definition().validation().of(run.requester());
        return !action(run).isById()
                || validation.filter(name -> !validation(name).isById()).isPresent();
    }

    private StepBean action(StepRun run) {
        return found(actions, run.action(), Purpose.ACTION);
    }

    private StepBean validation(String name) {
        return found(validations, name, Purpose.VALIDATION);
    }

    private StepBean afterEffect(String name) {
        return found(afterEffects, name, Purpose.AFTER_EFFECT);
    }

    private StepBean found(Map<String, StepBean> known, String name, Purpose purpose) {
        StepBean before = known.get(name);
        if (before != null) {
            return before;
        }
        StepBean found = new StepBean(beans, name, purpose);
        StepBean other = known.putIfAbsent(name, found);
        return other == null ? found : other;
    }

    @SuppressWarnings("unchecked") // The types of actions, validations and after-effects are checked at start-up.
    private ActionResult act(StepRun run, Supplier<Object> entity) throws Exception {
        StepBean action = action(run);
        @Nullable
        ActionResult result = action.isById()
                ? ((StepActionById<Object>) action.get()).run(run.id(), run)
                : ((StepAction<Object>) action.get()).run(entity.get(), run);
        if (result == null) {
            throw new IllegalStateException(
                    "Action '%s' returned null. It must return ActionResult.success(), failure(…) or invalid(…)."
                            .formatted(run.action()));
        }
        return result;
    }

    @SuppressWarnings("unchecked")
    private List<String> validate(StepRun run, Supplier<Object> entity) throws Exception {
        String name = run.definition().validation().of(run.requester()).orElse(null);
        if (name == null) {
            return List.of();
        }
        StepBean validation = validation(name);
        @Nullable
        List<String> messages = validation.isById()
                ? ((StepValidationById<Object>) validation.get()).validate(run.id(), run)
                : ((StepValidation<Object>) validation.get()).validate(entity.get(), run);
        return messages == null ? List.of() : messages;
    }

    boolean followsById(String name) {
        return afterEffect(name).isById();
    }

    @SuppressWarnings("unchecked")
    void follow(String name, Object subject, AfterEffectContext context) throws Exception {
        StepBean afterEffect = afterEffect(name);
        if (afterEffect.isById()) {
            ((AfterEffectById<Object>) afterEffect.get()).run(subject, context);
        } else {
            ((AfterEffect<Object>) afterEffect.get()).run(subject, context);
        }
    }
}
