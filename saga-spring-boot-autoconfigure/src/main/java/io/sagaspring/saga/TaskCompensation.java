package io.sagaspring.saga;

import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.ResolvableType;

/** The compensation of a task that overrides {@link SagaTask#compensate}. */
record TaskCompensation<I, R extends @Nullable Object>(SagaTask<I, R> task, Type result)
        implements StepCompensation<I> {

    static <I, R extends @Nullable Object> Optional<StepCompensation<I>> of(SagaTask<I, R> task) {
        boolean compensates = Arrays.stream(AopUtils.getTargetClass(task).getMethods())
                .filter(method -> method.getName().equals("compensate") && method.getParameterCount() == 2)
                .filter(method -> method.getParameterTypes()[0] == StepContext.class)
                .anyMatch(method -> method.getDeclaringClass() != SagaTask.class);
        return compensates
                ? Optional.of(new TaskCompensation<>(task, resultOf(task).getType()))
                : Optional.empty();
    }

    /** Returns the declared result type of a task. */
    static ResolvableType resultOf(SagaTask<?, ?> task) {
        return ResolvableType.forClass(AopUtils.getTargetClass(task))
                .as(SagaTask.class)
                .getGeneric(1);
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // The value was read as the result type of the task.
    public void compensate(StepContext<I> context) throws Exception {
        task.compensate(context, (R)
                context.result(ParameterizedTypeReference.forType(result)).orElse(null));
    }
}
