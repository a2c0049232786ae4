package io.sagaspring.saga;

import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.run.RunId;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.JsonNode;

/**
 * What one attempt of a step, or of its undo, knows.
 *
 * @param scope what the steps of the execution share
 * @param planned the step
 * @param attempt its number
 * @param done in an undo, what is undone
 * @param put what this attempt has put into the context, or null where nothing can be
 */
record AttemptContext<I>(
        ExecutionScope<I> scope,
        PlannedStep<I> planned,
        int attempt,
        @Nullable Done<I> done,
        @Nullable Map<String, JsonNode> put)
        implements StepContext<I> {

    RunId execution() {
        return scope.id();
    }

    @Override
    public I input() {
        return scope.input();
    }

    @Override
    public String executionId() {
        return execution().toString();
    }

    @Override
    public String step() {
        return planned.name();
    }

    @Override
    public String effectKey() {
        return JournalNames.effectKey(executionId(), done == null ? step() : JournalNames.undo(step()));
    }

    @Override
    public String compensatedEffectKey() {
        if (done == null) {
            throw new IllegalStateException(
                    "Step '%s' asks what it undoes, and is no undo. Its own key is effectKey().".formatted(step()));
        }
        return JournalNames.effectKey(executionId(), step());
    }

    @Override
    public <T> T get(String key, Class<T> type) {
        return find(key, type)
                .orElseThrow(() -> new IllegalStateException(
                        "Step '%s' asks for '%s', and no step before has stored it. What is stored is %s."
                                .formatted(step(), key, scope.values().keys())));
    }

    @Override
    public <T> Optional<T> find(String key, Class<T> type) {
        return stored(key).map(tree -> scope.tools().json().read(tree, type));
    }

    @Override
    public <T> Optional<T> find(String key, ParameterizedTypeReference<T> type) {
        return stored(key).map(tree -> scope.tools().json().read(tree, type.getType()));
    }

    private Optional<JsonNode> stored(String key) {
        return Optional.ofNullable(put)
                .map(own -> own.get(key))
                .or(() -> scope.values().find(key));
    }

    @Override
    public void put(String key, Object value) {
        Map<String, JsonNode> own = put;
        if (own == null) {
            throw new IllegalStateException(
                    "Step '%s' cannot put '%s' into the context: a compensation, a condition and a step that is fired and forgotten store nothing. Put it in the code of a step before."
                            .formatted(step(), key));
        }
        String owner = scope.values().owner(key);
        if (owner.isEmpty()) {
            owner = scope.plan().steps().stream()
                    .filter(each -> each.knownKeys().contains(key))
                    .map(PlannedStep::name)
                    .findFirst()
                    .orElse(step());
        }
        if (!owner.equals(step()) || key.isBlank()) {
            throw new IllegalStateException(
                    "Step '%s' cannot put '%s' into the context: step '%s' stores that. Use another key."
                            .formatted(step(), key, owner));
        }
        own.put(key, scope.tools().json().treeOf(value));
    }

    @Override
    public <T> T args(Class<T> type) {
        if (planned.args() == null) {
            throw new IllegalStateException(
                    "Step '%s' asks for its args, and has none. Set args(…) where the saga defines the step."
                            .formatted(step()));
        }
        Object args = planned.args().apply(this);
        if (!ClassUtils.isAssignableValue(type, args) || args == null) {
            throw new IllegalStateException("Step '%s' asks for args of type %s, and args(…) has made %s."
                    .formatted(
                            step(),
                            type.getName(),
                            args == null ? "null" : "a " + args.getClass().getName()));
        }
        @SuppressWarnings("unchecked") // It is of the type, or of the class of the primitive type.
        T made = (T) args;
        return made;
    }

    @Override
    public <T> Optional<T> result(Class<T> type) {
        return returned().map(tree -> scope.tools().json().read(tree, type));
    }

    @Override
    public <T> Optional<T> result(ParameterizedTypeReference<T> type) {
        return returned().map(tree -> scope.tools().json().read(tree, type.getType()));
    }

    private Optional<JsonNode> returned() {
        return Optional.ofNullable(done).map(Done::result).filter(tree -> !tree.isNull());
    }

    @Override
    public boolean tookEffect() {
        return done != null && done.isKnown();
    }

    @Override
    public boolean isCancelled() {
        return scope.tools()
                .store()
                .look(execution())
                .filter(row -> row.cancelReason() != null)
                .isPresent();
    }

    @Override
    public void correlate(String externalId) {
        requireAsynchronous();
        JournalNames.requireExternalId(externalId);
        if (TransactionPhase.isActive()) {
            throw new IllegalTransactionStateException(
                    "Step '%s' correlates inside a transaction, which may be rolled back, and would need a second connection for that. Correlate before, or leave out dedupe."
                            .formatted(step()));
        }
        if (!scope.tools().store().note(execution(), JournalNames.correlation(step(), attempt), externalId)) {
            throw new IllegalStateException("Execution %s is over.".formatted(execution()));
        }
    }

    @Override
    public String callbackToken() {
        requireAsynchronous();
        return scope.tools().tokens().of(executionId(), step(), attempt);
    }

    private void requireAsynchronous() {
        if (planned.kind() != PlannedStep.Kind.ASYNC || done != null) {
            throw new IllegalStateException(
                    "Nobody calls back about step '%s': it is not asynchronous, or is being undone. Say async() of it, and ask in its body."
                            .formatted(step()));
        }
    }

    @Override
    public Logger log() {
        return LoggerFactory.getLogger("io.sagaspring.saga." + scope.plan().name());
    }
}
