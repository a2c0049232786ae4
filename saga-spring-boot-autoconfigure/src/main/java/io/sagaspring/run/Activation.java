package io.sagaspring.run;

import io.sagaspring.fence.Hold;
import io.sagaspring.fence.LogText;
import io.sagaspring.fence.Spans;
import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.Entry.Call;
import io.sagaspring.run.Entry.Mark;
import io.sagaspring.run.RunView.CurrentStep;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLogger;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.IllegalTransactionStateException;

/** What the code of a run talks to while it is driven once. */
final class Activation implements RunContext {

    private final Driven driven;
    private final String run;
    private final int retries;
    private final RunControl control;
    private final Journal journal;
    private final Leaving leaving;
    private final Hold hold;
    private final Payloads payloads;
    private final StepTransactions transactions;
    private final Supplier<Instant> clock;
    private final Logger logger;
    private final Beside beside;
    private final RandomGenerator between;
    private RandomGenerator within;
    private final Thread thread = Thread.currentThread();
    private @Nullable String inside;
    private volatile @Nullable CurrentStep current;
    private @Nullable CurrentStep warned;
    private boolean over;

    /**
     * The services that the code of every run uses through its context.
     *
     * @param payloads write and read its values
     * @param transactions run its transactional steps
     * @param beside starts runs that it does not wait for
     */
    record Services(Payloads payloads, StepTransactions transactions, Beside beside) {}

    Activation(PickedUpRun taken, RunControl control, Hold hold, Services services, Supplier<Instant> clock) {
        this.driven = taken.driven();
        this.run = taken.run();
        this.retries = taken.retries();
        this.control = control;
        this.journal = control.journal();
        this.leaving = control.leaving();
        this.hold = hold;
        this.payloads = services.payloads();
        this.transactions = services.transactions();
        this.clock = clock;
        this.beside = services.beside();
        this.logger = LoggerFactory.getLogger("io.sagaspring.run." + taken.run());
        this.between = chance(0);
        this.within = between;
    }

    /** Whoever has kept it is refused: what it was asked for would be done, and not be journaled. */
    void over() {
        over = true;
    }

    @Override
    public RunId runId() {
        return driven.id();
    }

    @Override
    public @Nullable Object step(Step step, Type type, Callable<? extends @Nullable Object> body) {
        requireOwnThread(step.id());
        journal.requireNew(step.id());
        Entry entry = latest(step, control.replay(step.id(), Call.STEP));
        while (entry != null && entry.mark() == Mark.INTENT) {
            entry = latest(step, settled(step, type));
        }
        return entry == null ? begin(step, type, body) : toldAgain(entry, type);
    }

    /** What was said last of a step counts. Returns null if that is that it is to be begun. */
    private @Nullable Entry latest(Step step, @Nullable Entry told) {
        Entry entry = told;
        for (Entry later = entry; later != null; later = journal.replayLater(step.id())) {
            entry = later;
        }
        return entry != null && entry.mark() == Mark.ABSENT ? control.replayMore(step.id(), Call.STEP) : entry;
    }

    /** What became of a step that was begun and is not to be begun again. */
    private Entry settled(Step step, Type type) {
        Entry more = control.replayMore(step.id(), Call.STEP);
        if (more != null) {
            return more;
        }
        Step.Resolver resolver = step.resolver();
        if (resolver == null) {
            control.requireNotToStop(step.id());
            throw doubt(step, null);
        }
        Entry entry;
        try {
            Optional<?> found = inside(step.id(), () -> resolver.resolve(idempotencyKey()));
            entry = found.isPresent() ? done(step, Call.STEP, found.get()) : absent(step);
            Object unused = payloads.read(entry.value(), type);
        } catch (Throwable unknown) {
            requireStillHeld(unknown);
            control.requireNotToStop(step.id());
            throw doubt(step, unknown);
        }
        journal.add(entry);
        return entry;
    }

    private Unwinding doubt(Step step, @Nullable Throwable cause) {
        return leaving.leave(new Exit.InDoubt(
                "Step '%s' was begun and must not be repeated, and nobody knows whether it took effect. Find out, and say so: Runs.resolve(…)."
                        .formatted(step.id()),
                cause));
    }

    private @Nullable Object begin(Step step, Type type, Callable<? extends @Nullable Object> body) {
        control.requireNotClosing();
        requireType(step, Call.STEP, type);
        if (step.repeatable()) {
            journal.write();
        } else {
            writeIntent(step);
        }
        control.requireNotToStop(step.id());
        AtomicBoolean begun = new AtomicBoolean();
        Entry done;
        Object read;
        try {
            Object result = inside(step.id(), () -> {
                begun.set(true);
                return body.call();
            });
            try {
                done = done(step, Call.STEP, result);
                read = payloads.read(done.value(), type);
            } catch (PayloadException lost) {
                throw new ResultNotStoredException(step.id(), lost);
            }
        } catch (Throwable failed) {
            requireNoNodeTrouble(step, failed);
            if (!step.repeatable() && !begun.get()) {
                journal.add(absent(step));
            }
            requireStillHeld(failed);
            throw failed(step, Call.STEP, failed);
        }
        journal.add(done);
        return read;
    }

    /** What is not begun after all leaves no doubt: that it did not take effect is journaled behind it. */
    private void writeIntent(Step step) {
        journal.add(Entry.marked(journal.position(), step.id(), Call.STEP, Mark.INTENT, null));
        boolean isToBegin = false;
        try {
            journal.write();
            isToBegin = !control.isToStop();
        } finally {
            if (!isToBegin) {
                journal.add(absent(step));
            }
        }
    }

    private Entry absent(Step step) {
        return Entry.marked(journal.position(), step.id(), Call.STEP, Mark.ABSENT, null);
    }

    private Entry done(Step step, Call call, @Nullable Object result) {
        return Entry.done(journal.position(), step.id(), call, payloads.writeIfAny(result));
    }

    /** Before it takes effect. */
    private void requireType(Step step, Call call, Type type) {
        try {
            payloads.requireType("What step '%s' returns".formatted(step.id()), type);
        } catch (PayloadException never) {
            throw failed(step, call, never);
        }
    }

    private StepFailedException failed(Step step, Call call, Throwable failure) {
        Entry entry = Entry.marked(journal.position(), step.id(), call, Mark.FAILED, failure.toString());
        journal.addFailure(entry);
        return new StepFailedException(step.id(), failure.toString(), failure);
    }

    private @Nullable Object toldAgain(Entry entry, Type type) {
        requireNotFailed(entry);
        return control.read(entry, payloads, type);
    }

    private static void requireNotFailed(Entry told) {
        if (told.mark() == Mark.FAILED) {
            throw new StepFailedException(told.step(), String.valueOf(told.detail()), null);
        }
    }

    @Override
    public @Nullable Object transactionalStep(Step step, Type type, Callable<? extends @Nullable Object> body) {
        requireOwnThread(step.id());
        journal.requireNew(step.id());
        Entry told = control.replay(step.id(), Call.TRANSACTIONAL_STEP);
        if (told != null) {
            return toldAgain(told, type);
        }
        control.requireNotClosing();
        requireType(step, Call.TRANSACTIONAL_STEP, type);
        journal.write();
        control.requireNotToStop(step.id());
        AtomicReference<@Nullable Object> read = new AtomicReference<>();
        AtomicBoolean begun = new AtomicBoolean();
        Callable<? extends @Nullable Object> noted = () -> {
            begun.set(true);
            return body.call();
        };
        try {
            transactions.run(
                    "run %s, step '%s'".formatted(driven.id(), step.id()), () -> inside(step.id(), noted), result -> {
                        Entry done = done(step, Call.TRANSACTIONAL_STEP, result);
                        read.set(payloads.read(done.value(), type));
                        journal.writeInTransaction(done);
                    });
        } catch (FencedException fenced) {
            throw leaving.leave(new Exit.Fenced(fenced));
        } catch (StepTransactions.UnknownException unknown) {
            throw leaving.leave(new Exit.GivenBack(
                    "The database was lost during a transactional step.",
                    Objects.requireNonNullElse(unknown.getCause(), unknown)));
        } catch (Throwable failed) {
            requireNoNodeTrouble(step, failed);
            requireStillHeld(failed);
            if (!begun.get() && failed instanceof CannotCreateTransactionException) {
                throw leaving.leave(new Exit.GivenBack("There is no transaction for the step.", failed));
            }
            throw failed(step, Call.TRANSACTIONAL_STEP, failed);
        }
        journal.committed();
        return read.get();
    }

    @Override
    public void sleep(String step, Duration pause) {
        SignalKeys.checkName(step);
        requireOwnThread(step);
        journal.requireNew(step);
        if (pause.isNegative()) {
            throw new IllegalArgumentException("Step '%s' cannot sleep for %s.".formatted(step, pause));
        }
        Entry told = control.replay(step, Call.SLEEP);
        if (told != null && (journal.isReplaying() || isOver(told))) {
            control.requireNotStoppedBehind(step);
            return;
        }
        Duration left = pause;
        if (told == null) {
            journal.add(Entry.waiting(journal.position(), step, Call.SLEEP, pause));
        } else {
            left = untilThen(told);
        }
        while (true) {
            control.requireNotToStop(step, left);
            control.suspend(left);
        }
    }

    private boolean isOver(Entry waiting) {
        Instant until = waiting.until();
        return until != null && !clock.get().isBefore(until);
    }

    private @Nullable Duration untilThen(Entry waiting) {
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
        return new SignalWait(control, driven.id(), payloads, this::untilThen).await(wait, type);
    }

    @Override
    public RunId startBeside(String step, String run, Object input) {
        requireOwnThread(step);
        journal.requireNew(step);
        Entry told = control.replay(step, Call.STEP);
        if (told != null) {
            requireNotFailed(told);
            return RunId.of(String.valueOf(told.detail()));
        }
        control.requireNotClosing();
        journal.write();
        control.requireNotToStop(step);
        RunId id;
        try {
            id = beside.start(run, "%s:%s".formatted(driven.id(), step), input);
        } catch (PayloadException unwritable) {
            throw failed(Step.of(step), Call.STEP, unwritable);
        } catch (RuntimeException failed) {
            throw leaving.leave(new Exit.GivenBack("The run of step '%s' cannot be started.".formatted(step), failed));
        }
        journal.add(Entry.marked(journal.position(), step, Call.STEP, Mark.DONE, id.toString()));
        return id;
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
        Entry told = control.replay("now", Call.NOW);
        if (told != null) {
            return Instant.parse(String.valueOf(told.detail()));
        }
        Instant now = clock.get();
        journal.add(Entry.marked(journal.position(), "now", Call.NOW, Mark.DONE, now.toString()));
        return now;
    }

    @Override
    public RandomGenerator random() {
        return () -> (inside == null ? between : within).nextLong();
    }

    /** The body of a step has its own: what is drawn there is not drawn again where the step is only told again. */
    private RandomGenerator chance(long salt) {
        return new SplittableRandom((driven.id().value().getMostSignificantBits()
                        ^ driven.id().value().getLeastSignificantBits())
                + salt);
    }

    @Override
    public String idempotencyKey() {
        String step = inside;
        if (step == null) {
            throw new IllegalStateException(
                    "The idempotency key is that of a step: ask for it in the body of one, not beside it.");
        }
        return "%s:%s".formatted(driven.id(), step);
    }

    @Override
    public Logger log() {
        return journal.isReplaying() ? NOPLogger.NOP_LOGGER : logger;
    }

    private <T extends @Nullable Object> T inside(String step, Callable<T> body) throws Exception {
        inside = step;
        current = new CurrentStep(step, clock.get());
        within = chance(step.hashCode());
        try {
            return hold.amid(body);
        } finally {
            current = null;
            inside = null;
        }
    }

    private void requireNoNodeTrouble(Step step, Throwable failed) {
        if (NodeTrouble.is(failed)) {
            throw leaving.leave(new Exit.GivenBack("Step '%s' met %s.".formatted(step.id(), failed), failed));
        }
    }

    /** Null between two steps. */
    @Nullable
    CurrentStep currentStep() {
        return current;
    }

    /** Logs a step that has not returned for so long, once, with the place that its thread is at. */
    void warnIfSlow(Duration longest) {
        CurrentStep step = current;
        if (step == null || step.equals(warned) || lasting(step).compareTo(longest) < 0) {
            return;
        }
        warned = step;
        Throwable place = new Throwable("Thread '%s' is here".formatted(thread.getName()));
        place.setStackTrace(thread.getStackTrace());
        logger.warn("A step has not returned yet, and keeps its slot. {}", this, place);
    }

    private Duration lasting(CurrentStep step) {
        return Duration.between(step.since(), clock.get());
    }

    @Override
    public String toString() {
        CurrentStep step = current;
        return step == null
                ? "Run %s of '%s', between two steps".formatted(driven.id(), run)
                : "Run %s of '%s', in step '%s' for %s"
                        .formatted(driven.id(), run, LogText.of(step.step()), Spans.of(lasting(step)));
    }

    private void requireStillHeld(Throwable failed) {
        if (hold.stop() != null) {
            throw leaving.leave(new Exit.GivenBack("The run had to stop: %s.".formatted(hold.stop()), failed));
        }
    }

    private void requireOwnThread(String step) {
        if (Thread.currentThread() != thread) {
            throw new IllegalStateException(
                    "'%s' was asked for on the thread '%s', and the run is on '%s'. The order of steps on several threads is not the same each time: ask for them on the run's own, one after the other."
                            .formatted(step, Thread.currentThread().getName(), thread.getName()));
        }
        if (inside != null) {
            throw new IllegalStateException(
                    "'%s' was asked for inside step '%s'. A step is run as a whole or not at all: end it first."
                            .formatted(step, inside));
        }
        if (over) {
            throw new IllegalStateException(
                    "'%s' was asked for when the run's method had returned. A context is of use as long as that: do not keep it."
                            .formatted(step));
        }
        leaving.requireNotLeft();
        requireNoTransaction(step);
    }

    /** Also of what is only told again: a refusal that was caught is met again. */
    private static void requireNoTransaction(String step) {
        if (TransactionPhase.isActive()) {
            throw new IllegalTransactionStateException(
                    "'%s' was asked for inside a transaction. What is journaled is committed by itself, and what the transaction did may be rolled back: use a transactional step, and no transaction around the run."
                            .formatted(step));
        }
    }
}
