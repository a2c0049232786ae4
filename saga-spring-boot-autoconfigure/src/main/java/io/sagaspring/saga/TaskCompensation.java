package io.sagaspring.saga;

import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.ResolvableType;

/** The undo of a task, where it has one. */
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

    /** What a task says that it returns. */
    static ResolvableType resultOf(SagaTask<?, ?> task) {
        return ResolvableType.forClass(AopUtils.getTargetClass(task))
                .as(SagaTask.class)
                .getGeneric(1);
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // It was read as what the task returns.
    public void undo(StepContext<I> context) throws Exception {
        task.compensate(context, (R)
                context.result(ParameterizedTypeReference.forType(result)).orElse(null));
    }
}
