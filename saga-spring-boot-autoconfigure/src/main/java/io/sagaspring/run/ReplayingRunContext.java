package io.sagaspring.run;

import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import io.sagaspring.run.RunView.CurrentStep;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLogger;
import org.springframework.transaction.IllegalTransactionStateException;

/** The context of a run for one execution of its code, from the beginning until the code ends or is exited early. */
final class ReplayingRunContext implements RunContext {

    private final RunId id;
    private final int retries;
    private final RunControl control;
    private final Journal journal;
    private final EarlyExit earlyExit;
    private final Payloads payloads;
    private final Supplier<Instant> clock;
    private final Logger logger;
    private final CodePosition position;
    private final Steps steps;
    private final StepDefaults defaults;
    private final Supplier<@Nullable String> startedWith;

    /** The names of the labels that the code has set. */
    private final Set<String> labels = new TreeSet<>();

    /**
     * The services that every run's code uses through its context.
     *
     * @param payloads the converter of the run's values
     * @param transactions the executor of transactional steps
     * @param fireAndForget the component that starts other runs for which the run does not wait
     * @param timeouts the component that interrupts steps that do not return in time
     * @param startedWith the function that returns the definition with which a run was started, or null if it is
     *     unknown
     */
    record Services(
            Payloads payloads,
            StepTransactions transactions,
            FireAndForgetRuns fireAndForget,
            Timeouts timeouts,
            Function<PickedUpRun, @Nullable String> startedWith) {}

    ReplayingRunContext(
            PickedUpRun pickedUp,
            RunControl control,
            Hold hold,
            Services services,
            Supplier<Instant> clock,
            StepDefaults defaults,
            Consumer<Throwable> againAtOnce) {
        this.defaults = defaults;
        this.startedWith = () -> services.startedWith().apply(pickedUp);
        this.id = pickedUp.runLease().id();
        this.retries = pickedUp.retries();
        this.control = control;
        this.journal = control.journal();
        this.earlyExit = control.earlyExit();
        this.payloads = services.payloads();
        this.clock = clock;
        this.logger = LoggerFactory.getLogger("io.sagaspring.run." + pickedUp.run());
        this.position = new CodePosition(pickedUp, hold, clock, logger, control::takeInterrupt);
        this.steps = new Steps(
                id, new StepAttempts.Surroundings(control, retries, this::remaining, againAtOnce), position, services);
    }

    /** Marks the execution as ended. From then on, the context rejects steps and waits. */
    void end() {
        position.end();
    }

    @Override
    public RunId runId() {
        return id;
    }

    @Override
    public void follow(String definition) {
        requireOwnThread(definition);
        journal.requireNew(definition);
        if (control.replay(definition, Call.STEP) != null) {
            return;
        }
        control.requireNotClosing();
        String before = startedWith();
        boolean isSame = definition.equals(before);
        if (before != null && !isSame && journal.mayHaveBegun()) {
            throw earlyExit.leave(new Exit.Blocked(
                    "The run was started with the definition '%s', and the code on this node follows '%s'. A node has died or released the run before it had written the first entry of the journal, possibly in the first step. The run continues on a node with the same definition. If there will be none, find out whether the first step took effect, give this run up, and start another one."
                            .formatted(before, definition),
                    null));
        }
        // If the next call may have begun, stop the run there, so that it knows that the call may have taken effect.
        if (!isSame || !journal.mayHaveBegun()) {
            control.requireNotToStop(definition);
        }
        JournalEntry entry = JournalEntry.done(journal.position(), definition, Call.STEP, null);
        if (isSame) {
            journal.addFirst(entry);
        } else {
            journal.add(entry);
        }
    }

    /** Returns the definition that the run was started with. Blocks the run if it may have begun and this is unreadable. */
    private @Nullable String startedWith() {
        try {
            return startedWith.get();
        } catch (RuntimeException unreadable) {
            if (journal.mayHaveBegun()) {
                throw earlyExit.leave(new Exit.Blocked(
                        "The context with which the run was started cannot be read, so it is unknown with which definition the run may have begun. The run continues when the context can be read again.",
                        unreadable));
            }
            return null;
        }
    }

    @Override
    public @Nullable Object step(Step step, Type type, Callable<? extends @Nullable Object> code) {
        requireOwnThread(step.id());
        return steps.step(defaults.appliedTo(step), type, code);
    }

    @Override
    public @Nullable Object transactionalStep(Step step, Type type, Callable<? extends @Nullable Object> code) {
        requireOwnThread(step.id());
        return steps.transactionalStep(defaults.appliedTo(step), type, code);
    }

    @Override
    public RunId startFireAndForget(String step, String run, Object input) {
        requireOwnThread(step);
        return steps.startFireAndForget(step, run, input);
    }

    @Override
    public void sleep(String step, Duration pause) {
        SignalKeys.checkName(step);
        requireOwnThread(step);
        journal.requireNew(step);
        if (pause.isNegative()) {
            throw new IllegalArgumentException(
                    "Step '%s' cannot sleep for a negative time (%s).".formatted(step, DurationText.of(pause)));
        }
        JournalEntry recorded = control.replay(step, Call.SLEEP);
        if (recorded != null && (journal.isReplaying() || isExpired(recorded))) {
            control.requireNotStoppedBehind(step);
            return;
        }
        Duration remaining = pause;
        if (recorded == null) {
            journal.add(JournalEntry.waiting(journal.position(), step, Call.SLEEP, pause));
        } else {
            remaining = remaining(recorded);
        }
        while (true) {
            control.requireNotToStop(step, remaining);
            control.suspend(remaining);
        }
    }

    private boolean isExpired(JournalEntry waiting) {
        Instant until = waiting.until();
        return until != null && !clock.get().isBefore(until);
    }

    private @Nullable Duration remaining(JournalEntry waiting) {
        Instant until = waiting.until();
        return until == null ? null : Duration.between(clock.get(), until);
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // The value was read as a T, or is null.
    public <T extends @Nullable Object> T awaitSignal(String signal, Class<T> type) {
        return (T) await(new SignalWait.Wait(signal, null, false), type)
                .orElseThrow()
                .value();
    }

    @Override
    public <T> Optional<T> awaitSignal(String signal, Duration within, Class<T> type) {
        return await(new SignalWait.Wait(signal, within, false), type).map(received -> type.cast(received.value()));
    }

    @Override
    public <T> Optional<T> awaitReply(String wait, @Nullable Duration within, Class<T> type) {
        return await(new SignalWait.Wait(wait, within, true), type).map(received -> type.cast(received.value()));
    }

    private Optional<SignalWait.Received> await(SignalWait.Wait wait, Type type) {
        SignalKeys.checkName(wait.signal());
        requireOwnThread(wait.signal());
        return new SignalWait(control, id, payloads, this::remaining).await(wait, type);
    }

    @Override
    public int retries() {
        return retries;
    }

    @Override
    public boolean isReplaying() {
        return journal.isReplaying();
    }

    @Override
    public void ending() {
        requireOwnThread("ending");
        control.ending();
    }

    @Override
    public boolean mayHaveBegun() {
        return journal.mayHaveBegun();
    }

    @Override
    public void compensating() {
        requireOwnThread("compensating");
        control.compensating();
    }

    @Override
    public Instant now() {
        requireOwnThread("now");
        JournalEntry recorded = control.replay("now", Call.NOW);
        if (recorded != null) {
            return Instant.parse(String.valueOf(recorded.detail()));
        }
        Instant now = clock.get();
        journal.add(JournalEntry.marked(journal.position(), "now", Call.NOW, Mark.DONE, now.toString()));
        return now;
    }

    @Override
    public void label(String name, String value) {
        requireOwnThread("label");
        Labels.require(name, value);
        labels.add(name);
        Labels.requireFew(labels);
        String step = Labels.stepOf(name);
        JournalEntry recorded = control.replay(step, Call.LABEL);
        if (recorded == null) {
            journal.add(JournalEntry.marked(journal.position(), step, Call.LABEL, Mark.DONE, value));
        } else if (!value.equals(recorded.detail())) {
            throw earlyExit.leave(new Exit.Blocked(
                    "The code sets the label '%s' to '%s', but the journal has the value '%s' there. The run continues when the code sets the same value again. Take values that may change from the input, or from the result of a step."
                            .formatted(name, value, recorded.detail()),
                    null));
        }
    }

    @Override
    public RandomGenerator random() {
        return position.random();
    }

    @Override
    public String idempotencyKey() {
        return position.idempotencyKey();
    }

    @Override
    public Logger log() {
        return journal.isReplaying() ? NOPLogger.NOP_LOGGER : logger;
    }

    /** Returns the step whose code is being executed, or null between two steps. */
    @Nullable
    CurrentStep currentStep() {
        return position.currentStep();
    }

    /** Logs the current step if it has not returned within the given time. */
    void warnIfSlow(Duration longest) {
        position.warnIfSlow(longest);
    }

    @Override
    public String toString() {
        return position.toString();
    }

    private void requireOwnThread(String step) {
        position.requireBetweenSteps(step);
        earlyExit.requireNotLeft();
        requireNoTransaction(step);
    }

    /**
     * Rejects a transaction even around a replayed call. Otherwise, code that catches this exception would behave
     * differently on a replay.
     */
    private static void requireNoTransaction(String step) {
        if (TransactionPhase.isActive()) {
            throw new IllegalTransactionStateException(
                    "'%s' was called inside a transaction. Journal entries are committed on their own, but the transaction may still be rolled back. Use a transactional step instead of a transaction around the run."
                            .formatted(step));
        }
    }
}
