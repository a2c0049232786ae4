package io.sagaspring.saga;

import static io.sagaspring.run.Retry.retry;

import io.sagaspring.run.Retry;
import io.sagaspring.saga.Script.Attempt;
import io.sagaspring.saga.Script.Condition;
import io.sagaspring.saga.Script.Crash;
import io.sagaspring.saga.Script.Early;
import io.sagaspring.saga.Script.Event;
import io.sagaspring.saga.Script.Kind;
import io.sagaspring.saga.Script.ScriptedCompensation;
import io.sagaspring.saga.Script.Step;
import io.sagaspring.saga.Script.Tries;
import io.sagaspring.saga.Script.Where;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A saga that does what its script says. */
final class ScriptedSaga implements Saga<Integer> {

    private final Performance performance;
    private final Script script;
    private final SteppedTimer timer;

    /** The calls of each fire-and-forget step. */
    final Map<String, List<String>> fireAndForget = new HashMap<>();

    ScriptedSaga(Performance performance, Script script, SteppedTimer timer) {
        this.performance = performance;
        this.script = script;
        this.timer = timer;
    }

    @Override
    public String name() {
        return "script" + script.seed();
    }

    @Override
    public void define(SagaDefinition<Integer> definition) {
        if (script.deadline()) {
            definition.timeout(Stage.DEADLINE);
        }
        for (Step step : script.steps()) {
            if (step.kind() == Kind.SIGNAL) {
                define(step, definition.waitForSignal(step.name()));
            } else {
                define(step, definition.step(step.name(), context -> call(step, context)));
            }
        }
    }

    private void define(Step step, WaitSpec<Integer> spec) {
        if (step.timed()) {
            spec.timeout(Performance.STEP_TIMEOUT);
        }
        if (step.hasResultKey()) {
            spec.storeResultAs(step.key());
        }
        if (step.condition() != Condition.NONE) {
            spec.runIf(context -> step.condition() == Condition.HOLDS);
        }
    }

    private void define(Step step, StepSpec<Integer> spec) {
        spec.retry(policy(step.tries()));
        ScriptedCompensation compensation = step.compensation();
        if (compensation != null) {
            spec.compensate(context -> compensate(step, compensation, context), policy(compensation.tries()));
        }
        if (step.timed()) {
            spec.timeout(Performance.STEP_TIMEOUT);
        }
        if (step.hasResultKey()) {
            spec.storeResultAs(step.key());
        }
        if (step.condition() != Condition.NONE) {
            spec.runIf(context -> step.condition() == Condition.HOLDS);
        }
        if (step.kind() == Kind.ASYNC) {
            spec.async();
        }
        if (step.deduped()) {
            spec.dedupe();
        }
        if (step.fireAndForget()) {
            spec.fireAndForget();
        }
    }

    private static Retry policy(Tries tries) {
        return retry().max(tries.max())
                .delay(tries.pause() ? Performance.PAUSE : Duration.ZERO)
                .noRetryOn(IllegalArgumentException.class);
    }

    private @Nullable Object call(Step step, StepContext<Integer> context) throws Exception {
        requireAlive();
        int attempt = context.attempt();
        String id = Script.id(step.name(), attempt);
        if (step.fireAndForget()) {
            fireAndForget
                    .computeIfAbsent(step.name(), name -> new ArrayList<>())
                    .add(id);
        } else {
            performance.line("call %s".formatted(id));
        }
        requireKey(context, step.name());
        if (attempt == 1) {
            int index = script.steps().indexOf(step);
            script.steps().stream()
                    .filter(each -> each.answeredBy() == index)
                    .forEach(each -> performance.callers.reply(each, 1, "early", true, each.name() + ".early"));
        }
        Attempt scripted = step.attempt(attempt);
        if (step.kind() == Kind.ASYNC) {
            String before = performance.callers.tokens.put(step.name() + "." + attempt, context.callbackToken());
            if (before != null && !before.equals(context.callbackToken())) {
                performance.line("another token");
            }
        }
        if (scripted.early() != Early.NONE) {
            performance.callers.reply(step, attempt, "own " + id, scripted.early() == Early.COMPLETE, id + ".own");
        }
        Event event = performance.trigger(Where.CODE, step.name(), attempt, Crash.NONE);
        if (event != null) {
            performance.applyStop(event.stop());
        }
        dieIfScripted(performance.trigger(Where.CODE, step.name(), attempt, Crash.MID_STEP));
        return switch (scripted.outcome()) {
            case RETURN -> Model.result(step, attempt);
            case THROW -> throw new IllegalStateException("as the script says");
            case REFUSE -> throw new IllegalArgumentException("as the script says");
            case TIME_OUT -> {
                timer.ring();
                if (!Thread.currentThread().isInterrupted()) {
                    performance.line("not interrupted");
                }
                throw new InterruptedException("as the script says");
            }
            case TIME_OUT_AND_RETURN -> {
                timer.ring();
                yield Model.result(step, attempt);
            }
        };
    }

    private void compensate(Step step, ScriptedCompensation compensation, StepContext<Integer> context) {
        requireAlive();
        int attempt = context.attempt();
        requireKey(context, step.name() + ":undo");
        performance.line("undo %s known=%s %s"
                .formatted(
                        Script.id(step.name(), attempt),
                        context.tookEffect(),
                        context.result(Object.class).orElse(null)));
        Event event = performance.trigger(Where.COMPENSATION, step.name(), attempt, Crash.NONE);
        if (event != null) {
            performance.applyStop(event.stop());
        }
        dieIfScripted(performance.trigger(Where.COMPENSATION, step.name(), attempt, Crash.MID_STEP));
        if (attempt <= compensation.failures()) {
            throw new IllegalStateException("as the script says");
        }
    }

    /** Checks that the effect key is the same for each attempt. */
    private void requireKey(StepContext<Integer> context, String name) {
        String key = "%s:%s".formatted(performance.id(), name);
        if (!context.effectKey().equals(key)) {
            performance.line("effect key %s".formatted(context.effectKey()));
        }
    }

    private void requireAlive() {
        if (performance.node.fatalEvent != null) {
            throw new InternalError("The node is dead.");
        }
    }

    private void dieIfScripted(@Nullable Event event) {
        if (event != null) {
            performance.node.fatalEvent = event;
            throw new InternalError("The node dies.");
        }
    }
}
