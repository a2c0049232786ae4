package io.sagaspring.saga;

import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.run.Labels;
import io.sagaspring.run.RunId;
import java.util.LinkedHashMap;
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
 * The context of one attempt of a step, or of its compensation.
 *
 * @param scope the state that the execution's steps share
 * @param planned the step
 * @param attempt the number of the attempt
 * @param done the effect to compensate, or null outside a compensation
 * @param output the values and labels that this attempt has stored, or null if it must not store any
 */
record AttemptContext<I>(
        ExecutionScope<I> scope,
        PlannedStep<I> planned,
        int attempt,
        @Nullable Done<I> done,
        @Nullable StepOutput output)
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
        return JournalNames.effectKey(executionId(), done == null ? step() : JournalNames.compensation(step()));
    }

    @Override
    public String compensatedEffectKey() {
        if (done == null) {
            throw new IllegalStateException(
                    "Step '%s' calls compensatedEffectKey() outside a compensation. Use effectKey() for the step's own key."
                            .formatted(step()));
        }
        return JournalNames.effectKey(executionId(), step());
    }

    @Override
    public <T> T get(String key, Class<T> type) {
        return find(key, type)
                .orElseThrow(() -> new IllegalStateException(
                        "Step '%s' reads '%s', but no earlier step has stored it. Read one of the stored keys %s, or use find."
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
        return Optional.ofNullable(output)
                .map(own -> own.values().get(key))
                .or(() -> scope.values().find(key));
    }

    @Override
    public void put(String key, Object value) {
        StepOutput own = output;
        if (own == null) {
            throw new IllegalStateException(
                    "Step '%s' cannot put '%s' into the context: compensations, conditions and fire-and-forget steps store nothing. Call put in an earlier step."
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
        if (key.isBlank()) {
            throw new IllegalStateException(
                    "Step '%s' cannot put a value into the context under a blank key. Use another key."
                            .formatted(step()));
        }
        if (!owner.equals(step())) {
            throw new IllegalStateException(
                    "Step '%s' cannot put '%s' into the context, because the key belongs to step '%s'. Use another key."
                            .formatted(step(), key, owner));
        }
        own.values().put(key, scope.tools().json().treeOf(value));
    }

    @Override
    public void label(String name, String value) {
        StepOutput own = output;
        if (own == null) {
            throw new IllegalStateException(
                    "Step '%s' cannot set the label '%s': compensations, conditions and fire-and-forget steps set no labels. Set the label in the code of another step."
                            .formatted(step(), name));
        }
        Map<String, String> all = new LinkedHashMap<>(scope.values().labels());
        all.putAll(own.labels());
        Map<String, String> unused = Labels.with(all, name, value);
        own.labels().put(name, value);
    }

    @Override
    public <T> T args(Class<T> type) {
        if (planned.args() == null) {
            throw new IllegalStateException(
                    "Step '%s' calls args(), but has no args function. Set args(…) where the saga defines the step."
                            .formatted(step()));
        }
        Object args = planned.args().apply(this);
        if (!ClassUtils.isAssignableValue(type, args) || args == null) {
            throw new IllegalStateException("Step '%s' requests args of type %s, but its args function returned %s."
                    .formatted(
                            step(),
                            type.getName(),
                            args == null ? "null" : "a " + args.getClass().getName()));
        }
        @SuppressWarnings("unchecked") // The check above ensures that the value has this type.
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
                .runs()
                .ofAllTenants()
                .findRow(execution())
                .filter(row -> row.cancelReason() != null)
                .isPresent();
    }

    @Override
    public void correlate(String externalId) {
        requireAsynchronous();
        JournalNames.requireExternalId(externalId);
        if (TransactionPhase.isActive()) {
            throw new IllegalTransactionStateException(
                    "Step '%s' calls correlate() inside a transaction. The call would need a second connection, and the id would stay recorded if the transaction is rolled back. Call correlate() before the transaction, or remove dedupe()."
                            .formatted(step()));
        }
        if (!scope.tools()
                .runs()
                .ofAllTenants()
                .note(execution(), JournalNames.correlation(step(), attempt), externalId)) {
            throw new IllegalStateException(
                    "Execution %s has ended. No external id can be recorded for it.".formatted(execution()));
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
                    "Step '%s' has no callback: it is not asynchronous, or it is being compensated. Define the step with async(), and call correlate() or callbackToken() in its code, not in its compensation."
                            .formatted(step()));
        }
    }

    @Override
    public Logger log() {
        return LoggerFactory.getLogger("io.sagaspring.saga." + scope.plan().name());
    }
}
