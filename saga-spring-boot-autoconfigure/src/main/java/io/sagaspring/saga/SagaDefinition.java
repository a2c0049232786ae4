package io.sagaspring.saga;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Takes what a saga is.
 *
 * @param <I> what an execution is given
 * @since 0.1.0
 */
public final class SagaDefinition<I> {

    final List<Object> specs = new ArrayList<>();
    final List<String> faults = new ArrayList<>();
    private final Tasks tasks;

    @Nullable
    Function<? super I, String> key;

    @Nullable
    Retry defaults;

    @Nullable
    Duration timeout;

    OnCompensationFailure onCompensationFailure = OnCompensationFailure.STOP;

    SagaDefinition(Tasks tasks) {
        this.tasks = tasks;
    }

    /**
     * Of which there is one execution as long as it is known: who starts it again is given the one that is there.
     *
     * @param key made from the input
     * @return this
     */
    public SagaDefinition<I> idempotencyKey(Function<? super I, String> key) {
        this.key = key;
        return this;
    }

    /**
     * When steps are tried again that say nothing about it.
     *
     * @param retry the policy
     * @return this
     */
    public SagaDefinition<I> defaults(Retry retry) {
        this.defaults = retry;
        return this;
    }

    /**
     * How long an execution may take. It is undone then, and ends failed.
     *
     * @param timeout from its start
     * @return this
     */
    public SagaDefinition<I> timeout(Duration timeout) {
        this.timeout = timeout;
        return this;
    }

    /**
     * Says what happens to the compensations of earlier steps when one compensation is given up. Without it they are not begun.
     * Either way the execution is {@code compensation_failed} then, and {@link Sagas#retry} goes on with what is left.
     *
     * @param then {@link OnCompensationFailure#CONTINUE} where no compensation needs a later step's to be done before
     * @return this
     */
    public SagaDefinition<I> onCompensationFailure(OnCompensationFailure then) {
        this.onCompensationFailure = Objects.requireNonNull(then, "Say STOP or CONTINUE");
        return this;
    }

    /**
     * Adds a step: a method reference or a lambda.
     *
     * @param name told apart from the other steps' by people, journals and effect keys
     * @param body what it does
     * @return takes its options
     */
    public StepSpec<I> step(String name, StepCode<I> body) {
        Objects.requireNonNull(name, "A step has a name");
        Objects.requireNonNull(body, () -> "Step '%s' has no body".formatted(name));
        StepSpec<I> spec = new StepSpec<>(name, body);
        specs.add(spec);
        return spec;
    }

    /**
     * Adds a step that is a bean.
     *
     * @param name told apart from the other steps' by people, journals and effect keys
     * @param task the bean's type
     * @return takes its options, after those of the task
     * @param <R> what it returns
     */
    @SuppressWarnings("unchecked") // The bean is of the type that was asked for.
    public <R extends @Nullable Object> StepSpec<I> task(String name, Class<? extends SagaTask<? super I, R>> task) {
        Optional<SagaTask<?, ?>> found = tasks.find(task);
        if (found.isEmpty()) {
            faults.add("Step '%s' is the task %s, of which there is no bean, or more than one."
                    .formatted(name, task.getName()));
            return step(name, context -> null);
        }
        SagaTask<I, R> bean = (SagaTask<I, R>) found.get();
        StepSpec<I> spec = step(name, bean::call);
        spec.result = TaskCompensation.resultOf(bean);
        TaskCompensation.of(bean).ifPresent(spec::compensate);
        bean.options(spec);
        return spec;
    }

    /**
     * Waits until somebody signals.
     *
     * @param name of the signal, and of the step
     * @return takes its options
     */
    public WaitSpec<I> waitForSignal(String name) {
        WaitSpec<I> spec = new WaitSpec<>(name);
        specs.add(spec);
        return spec;
    }
}
