package io.sagaspring.saga;

import io.sagaspring.run.Retry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Defines a saga: its steps in order, and its options.
 *
 * @param <I> the type of an execution's input
 * @since 0.1.0
 */
public final class SagaDefinition<I> {

    final List<Object> specs = new ArrayList<>();
    final List<String> faults = new ArrayList<>();
    private final Function<Class<?>, Optional<SagaTask<?, ?>>> tasks;

    @Nullable
    Function<? super I, String> key;

    boolean whileOpen;

    final Map<String, Function<? super I, @Nullable String>> labels = new LinkedHashMap<>();

    @Nullable
    Retry defaults;

    @Nullable
    Duration timeout;

    OnCompensationFailure onCompensationFailure = OnCompensationFailure.STOP;

    SagaDefinition(Function<Class<?>, Optional<SagaTask<?, ?>>> tasks) {
        this.tasks = tasks;
    }

    /**
     * Sets the function that computes an execution's idempotency key. A key identifies at most one execution of the
     * saga. Starting the saga again with the same key returns the existing execution, as long as it is stored.
     *
     * @param key the function that computes the key from the input
     * @return this
     */
    public SagaDefinition<I> idempotencyKey(Function<? super I, String> key) {
        this.key = key;
        return this;
    }

    /**
     * Frees the idempotency key as soon as the execution has ended. Until then, starting the saga with the same key
     * returns the execution. An execution that waits for a person has not ended.
     *
     * <p>If you add or remove this call while executions are open, two executions with one key can be open. To avoid
     * this, also change the text of the key, or wait until the old executions have ended.
     *
     * @return this
     */
    public SagaDefinition<I> whileOpen() {
        this.whileOpen = true;
        return this;
    }

    /**
     * Labels each execution. {@link SagaQuery#withLabel} finds the executions with a label.
     *
     * @param name the name of the label: a letter, followed by at most 99 letters, digits, dots, hyphens or underscores
     * @param value the function that computes the value from the input; if it returns null, the execution does not get this label
     * @return this
     */
    public SagaDefinition<I> label(String name, Function<? super I, @Nullable String> value) {
        if (labels.put(name, value) != null) {
            faults.add("It has two labels '%s'. Use different names.".formatted(name));
        }
        return this;
    }

    /**
     * Sets the retry policy of the steps that do not have their own.
     *
     * @param retry the policy
     * @return this
     */
    public SagaDefinition<I> defaults(Retry retry) {
        this.defaults = retry;
        return this;
    }

    /**
     * Sets how long an execution may take. An execution that takes longer is compensated, and ends as failed.
     *
     * @param timeout the maximum duration, measured from the start of the execution, or from the start time that the
     *     options of {@code Sagas.start} set
     * @return this
     */
    public SagaDefinition<I> timeout(Duration timeout) {
        this.timeout = timeout;
        return this;
    }

    /**
     * Sets how a saga continues after one compensation was given up. By default, the compensations of earlier steps do
     * not start. With either setting, the execution is then {@code compensation_failed}, and {@link Sagas#retry}
     * continues with the compensations that have not completed.
     *
     * @param then the way to continue; use {@link OnCompensationFailure#CONTINUE} if no compensation depends on
     *     the compensation of a later step
     * @return this
     */
    public SagaDefinition<I> onCompensationFailure(OnCompensationFailure then) {
        this.onCompensationFailure =
                Objects.requireNonNull(then, "The argument of onCompensationFailure is null. Use STOP or CONTINUE.");
        return this;
    }

    /**
     * Adds a step whose code is a method reference or a lambda.
     *
     * @param name the step's name, unique in the saga; it identifies the step in the journal, in effect keys and
     *     for operators
     * @param code the step's code
     * @return the step's options
     */
    public StepSpec<I> step(String name, StepCode<I> code) {
        Objects.requireNonNull(name, "The name of a step is null");
        Objects.requireNonNull(code, () -> "Step '%s' has no code".formatted(name));
        StepSpec<I> spec = new StepSpec<>(name, code);
        specs.add(spec);
        return spec;
    }

    /**
     * Adds a step that is a bean.
     *
     * @param name the step's name, unique in the saga; it identifies the step in the journal, in effect keys and
     *     for operators
     * @param task the bean's type
     * @return the step's options, including those that the task sets
     * @param <R> the type of the step's result
     */
    @SuppressWarnings("unchecked") // The bean is of the requested type.
    public <R extends @Nullable Object> StepSpec<I> task(String name, Class<? extends SagaTask<? super I, R>> task) {
        Optional<SagaTask<?, ?>> found = tasks.apply(task);
        if (found.isEmpty()) {
            faults.add("Step '%s' needs exactly one bean of type %s, but there is none, or more than one."
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
     * Adds a step that waits for a signal.
     *
     * @param name the name of the signal and of the step
     * @return the options of the wait
     */
    public WaitSpec<I> waitForSignal(String name) {
        WaitSpec<I> spec = new WaitSpec<>(name);
        specs.add(spec);
        return spec;
    }
}
