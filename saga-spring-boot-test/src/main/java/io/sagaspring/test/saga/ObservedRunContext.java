package io.sagaspring.test.saga;

import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.Step;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The context of a run in a test. It calls the code of steps through {@link StepCalls}. */
final class ObservedRunContext implements RunContext {

    private final RunContext run;
    private final StepCalls calls;

    ObservedRunContext(RunContext run, StepCalls calls) {
        this.run = run;
        this.calls = calls;
    }

    private Callable<@Nullable Object> observed(Step step, Callable<? extends @Nullable Object> code) {
        return () -> calls.call(run.runId(), step.id(), code);
    }

    @Override
    public @Nullable Object step(Step step, Type type, Callable<? extends @Nullable Object> code) {
        return run.step(step, type, observed(step, code));
    }

    @Override
    public @Nullable Object transactionalStep(Step step, Type type, Callable<? extends @Nullable Object> code) {
        return run.transactionalStep(step, type, observed(step, code));
    }

    @Override
    public RunId runId() {
        return run.runId();
    }

    @Override
    public void follow(String definition) {
        run.follow(definition);
    }

    @Override
    public void sleep(String step, Duration pause) {
        run.sleep(step, pause);
    }

    @Override
    public <T extends @Nullable Object> T awaitSignal(String signal, Class<T> type) {
        return run.awaitSignal(signal, type);
    }

    @Override
    public <T> Optional<T> awaitSignal(String signal, Duration within, Class<T> type) {
        return run.awaitSignal(signal, within, type);
    }

    @Override
    public <T> Optional<T> awaitReply(String wait, @Nullable Duration within, Class<T> type) {
        return run.awaitReply(wait, within, type);
    }

    @Override
    public int retries() {
        return run.retries();
    }

    @Override
    public boolean isReplaying() {
        return run.isReplaying();
    }

    @Override
    public boolean mayHaveBegun() {
        return run.mayHaveBegun();
    }

    @Override
    public void ending() {
        run.ending();
    }

    @Override
    public void compensating() {
        run.compensating();
    }

    @Override
    public Instant now() {
        return run.now();
    }

    @Override
    public void label(String name, String value) {
        run.label(name, value);
    }

    @Override
    public RandomGenerator random() {
        return run.random();
    }

    @Override
    public String idempotencyKey() {
        return run.idempotencyKey();
    }

    @Override
    public Logger log() {
        return run.log();
    }

    @Override
    public RunId startFireAndForget(String step, String code, Object input) {
        return run.startFireAndForget(step, code, input);
    }
}
