package io.sagaspring.saga;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import tools.jackson.databind.JsonNode;

/** What one attempt of a step, or of its undo, knows. */
record ContextOfStep<I>(
        I input,
        String executionId,
        PlannedStep<I> planned,
        int attempt,
        String effectKey,
        Values values,
        @Nullable JsonNode returned,
        SagaRun.Tools tools,
        Logger log)
        implements StepContext<I> {

    @Override
    public String step() {
        return planned.name();
    }

    @Override
    public <T> T get(String key, Class<T> type) {
        return find(key, type)
                .orElseThrow(() -> new IllegalStateException(
                        "Step '%s' asks for '%s', and no step before has stored it.".formatted(step(), key)));
    }

    @Override
    public <T> Optional<T> find(String key, Class<T> type) {
        return values.find(key).map(tree -> tools.json().read(tree, type));
    }

    @Override
    public <T> T args(Class<T> type) {
        if (planned.args() == null) {
            throw new IllegalStateException("Step '%s' asks for its args, and has none.".formatted(step()));
        }
        return type.cast(planned.args().apply(this));
    }

    @Override
    public <T> Optional<T> result(Class<T> type) {
        return Optional.ofNullable(returned).map(tree -> tools.json().read(tree, type));
    }

    @Override
    public String callbackToken() {
        if (planned.kind() != PlannedStep.Kind.ASYNC) {
            throw new IllegalStateException("Step '%s' is not asynchronous: nobody calls back.".formatted(step()));
        }
        return tools.tokens().of(executionId, step(), attempt);
    }
}
