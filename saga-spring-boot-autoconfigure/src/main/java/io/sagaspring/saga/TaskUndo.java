package io.sagaspring.saga;

import java.lang.reflect.Method;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/** The undo of a task, where it has one. */
record TaskUndo<I, R extends @Nullable Object>(SagaTask<I, R> task, Class<?> result) implements StepUndo<I> {

    static <I, R extends @Nullable Object> Optional<StepUndo<I>> of(SagaTask<I, R> task) {
        Class<?> type = AopUtils.getTargetClass(task);
        Method undo = ReflectionUtils.findMethod(type, "compensate", (Class<?>[]) null);
        boolean undoes = undo != null && undo.getDeclaringClass() != SagaTask.class;
        return undoes ? Optional.of(new TaskUndo<>(task, resultOf(task))) : Optional.empty();
    }

    /** What a task says that it returns; anything, where it does not say. */
    static Class<?> resultOf(SagaTask<?, ?> task) {
        return ResolvableType.forClass(AopUtils.getTargetClass(task))
                .as(SagaTask.class)
                .getGeneric(1)
                .resolve(Object.class);
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // It was read as what the task returns.
    public void undo(StepContext<I> context) throws Exception {
        task.compensate(context, (R) context.result(result).orElse(null));
    }
}
