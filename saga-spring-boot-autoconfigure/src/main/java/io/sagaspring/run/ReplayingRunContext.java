package io.sagaspring.run;

import io.sagaspring.fence.Hold;
import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import io.sagaspring.run.RunView.CurrentStep;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLogger;
import org.springframework.transaction.IllegalTransactionStateException;

/** Is the context of a run while its code is executed once, from its beginning until it ends or is left. */
final class ReplayingRunContext implements RunContext {

    private final RunId id;
    private final int retries;
    private final RunControl control;
    private final Journal journal;
    private final EarlyExit leaving;
    private final Payloads payloads;
    private final Supplier<Instant> clock;
    private final Logger logger;
    private final CodePosition position;
    private final Steps steps;

    /**
     * The services that the code of every run uses through its context.
     *
     * @param payloads write and read its values
     * @param transactions run its transactional steps
     * @param fireAndForget starts runs that it does not wait for
     */
    record Services(Payloads payloads, StepTransactions transactions, FireAndForgetRuns fireAndForget) {}

    ReplayingRunContext(PickedUpRun taken, RunControl control, Hold hold, Services services, Supplier<Instant> clock) {
        this.id = taken.runLease().id();
        this.retries = taken.retries();
        this.control = control;
        this.journal = control.journal();
        this.leaving = control.leaving();
        this.payloads = services.payloads();
        this.clock = clock;
        this.logger = LoggerFactory.getLogger("io.sagaspring.run." + taken.run());
        this.position = new CodePosition(taken, hold, clock, logger);
        this.steps = new Steps(id, control, position, hold, services);
    }

    /** The code is not executed any more. */
    void over() {
        position.over();
    }

    @Override
    public RunId runId() {
        return id;
    }

    @Override
    public @Nullable Object step(Step step, Type type, Callable<? extends @Nullable Object> body) {
        requireOwnThread(step.id());
        return steps.step(step, type, body);
    }

    @Override
    public @Nullable Object transactionalStep(Step step, Type type, Callable<? extends @Nullable Object> body) {
        requireOwnThread(step.id());
        return steps.transactionalStep(step, type, body);
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
            throw new IllegalArgumentException("Step '%s' cannot sleep for %s.".formatted(step, pause));
        }
        JournalEntry recorded = control.replay(step, Call.SLEEP);
        if (recorded != null && (journal.isReplaying() || isOver(recorded))) {
            control.requireNotStoppedBehind(step);
            return;
        }
        Duration left = pause;
        if (recorded == null) {
            journal.add(JournalEntry.waiting(journal.position(), step, Call.SLEEP, pause));
        } else {
            left = untilThen(recorded);
        }
        while (true) {
            control.requireNotToStop(step, left);
            control.suspend(left);
        }
    }

    private boolean isOver(JournalEntry waiting) {
        Instant until = waiting.until();
        return until != null && !clock.get().isBefore(until);
    }

    private @Nullable Duration untilThen(JournalEntry waiting) {
        Instant until = waiting.until();
        return until == null ? null : Duration.between(clock.get(), until);
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // It was read as a T, or is null where that is one.
    public <T extends @Nullable Object> T awaitSignal(String signal, Class<T> type) {
        return (T) await(new SignalWait.Wait(signal, null, false), type)
                .orElseThrow()
                .value();
    }

    @Override
    public <T> Optional<T> awaitSignal(String signal, Duration within, Class<T> type) {
        return await(new SignalWait.Wait(signal, within, false), type).map(said -> type.cast(said.value()));
    }

    @Override
    public <T> Optional<T> awaitReply(String wait, @Nullable Duration within, Class<T> type) {
        return await(new SignalWait.Wait(wait, within, true), type).map(said -> type.cast(said.value()));
    }

    private Optional<SignalWait.Said> await(SignalWait.Wait wait, Type type) {
        SignalKeys.checkName(wait.signal());
        requireOwnThread(wait.signal());
        return new SignalWait(control, id, payloads, this::untilThen).await(wait, type);
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

    /** Returns null between two steps. */
    @Nullable
    CurrentStep currentStep() {
        return position.currentStep();
    }

    /** Logs a step that has not returned for so long. */
    void warnIfSlow(Duration longest) {
        position.warnIfSlow(longest);
    }

    @Override
    public String toString() {
        return position.toString();
    }

    private void requireOwnThread(String step) {
        position.requireBetweenSteps(step);
        leaving.requireNotLeft();
        requireNoTransaction(step);
    }

    /** Also of what is only replayed: a refusal that was caught is met again. */
    private static void requireNoTransaction(String step) {
        if (TransactionPhase.isActive()) {
            throw new IllegalTransactionStateException(
                    "'%s' was asked for inside a transaction. What is journaled is committed by itself, and what the transaction did may be rolled back: use a transactional step, and no transaction around the run."
                            .formatted(step));
        }
    }
}
