package io.sagaspring.run;

import io.sagaspring.fence.Hold;
import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.Entry.Call;
import io.sagaspring.run.Entry.Mark;
import io.sagaspring.run.Unwinding.Rest;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
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
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What the code of a run talks to while it is driven once. */
final class Activation implements RunContext {

    private final Driven driven;
    private final int retries;
    private final Journal journal;
    private final Hold hold;
    private final Payloads payloads;
    private final StepTransactions transactions;
    private final Supplier<Instant> clock;
    private final Logger logger;
    private final RandomGenerator between;
    private RandomGenerator within;
    private final Thread thread = Thread.currentThread();
    private @Nullable String inside;
    private boolean over;

    Activation(
            RunStore.Taken taken,
            Journal journal,
            Hold hold,
            Payloads payloads,
            StepTransactions transactions,
            Supplier<Instant> clock) {
        this.driven = taken.driven();
        this.retries = taken.retries();
        this.journal = journal;
        this.hold = hold;
        this.payloads = payloads;
        this.transactions = transactions;
        this.clock = clock;
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
        Entry entry = journal.tellAgain(step.id(), Call.STEP);
        while (entry != null && entry.mark() == Mark.INTENT) {
            entry = settled(step);
            if (entry.mark() == Mark.ABSENT) {
                entry = journal.tellMore(step.id(), Call.STEP);
            }
        }
        return entry == null ? begin(step, type, body) : toldAgain(entry, type);
    }

    /** What became of a step that was begun and is not to be begun again. */
    private Entry settled(Step step) {
        Entry more = journal.tellMore(step.id(), Call.STEP);
        if (more != null) {
            return more;
        }
        Step.Resolver resolver = step.resolver();
        if (resolver == null) {
            journal.requireNotToStop(step.id());
            throw doubt(step, null);
        }
        Optional<?> found;
        try {
            found = inside(step.id(), () -> resolver.resolve(idempotencyKey()));
        } catch (Throwable unknown) {
            requireStillHeld(unknown);
            journal.requireNotToStop(step.id());
            throw doubt(step, unknown);
        }
        Entry entry = found.isPresent() ? done(step, Call.STEP, found.get()) : absent(step);
        journal.add(entry);
        return entry;
    }

    private Unwinding doubt(Step step, @Nullable Throwable cause) {
        return journal.leave(
                Rest.DOUBT,
                "Step '%s' was begun and must not be repeated, and nobody knows whether it took effect. Find out, and say so: Runs.resolve(…)."
                        .formatted(step.id()),
                cause);
    }

    private @Nullable Object begin(Step step, Type type, Callable<? extends @Nullable Object> body) {
        journal.requireNotClosing();
        if (step.repeatable()) {
            journal.write();
        } else {
            writeIntent(step);
        }
        journal.requireNotToStop(step.id());
        AtomicBoolean begun = new AtomicBoolean();
        Entry done;
        Object read;
        try {
            done = done(step, Call.STEP, inside(step.id(), () -> {
                begun.set(true);
                return body.call();
            }));
            read = payloads.read(done.value(), type);
        } catch (VirtualMachineError fatal) {
            throw journal.leave(Rest.GIVE_BACK, "Step '%s' met %s.".formatted(step.id(), fatal), fatal);
        } catch (Throwable failed) {
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
            isToBegin = !journal.isToStop();
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

    private StepFailedException failed(Step step, Call call, Throwable failure) {
        Entry entry = Entry.marked(journal.position(), step.id(), call, Mark.FAILED, failure.toString());
        journal.add(entry);
        lastFailure = entry;
        return new StepFailedException(step.id(), failure.toString(), failure);
    }

    /** If the run ends with it, it is not journaled: a retry begins with this step. */
    private @Nullable Entry lastFailure;

    void forgetFailure(Throwable ending) {
        Entry entry = lastFailure;
        if (entry != null && (journal.isLast(entry) || isDueTo(entry, ending))) {
            journal.takeBack(entry);
        }
    }

    private static boolean isDueTo(Entry failure, Throwable ending) {
        Throwable cause = ending;
        for (int depth = 0; cause != null && depth < 100; depth++) {
            if (cause instanceof StepFailedException failed && failed.step().equals(failure.step())) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    private @Nullable Object toldAgain(Entry entry, Type type) {
        if (entry.mark() == Mark.FAILED) {
            throw new StepFailedException(entry.step(), String.valueOf(entry.detail()), null);
        }
        return read(entry.step(), entry.value(), type);
    }

    private @Nullable Object read(String step, @Nullable Stored value, Type type) {
        try {
            return payloads.read(value, type);
        } catch (PayloadException unreadable) {
            throw journal.leave(
                    Rest.BLOCK,
                    "What is journaled for '%s' cannot be read: %s".formatted(step, unreadable.getMessage()),
                    unreadable);
        }
    }

    @Override
    public @Nullable Object transactionalStep(Step step, Type type, Callable<? extends @Nullable Object> body) {
        requireOwnThread(step.id());
        journal.requireNew(step.id());
        Entry told = journal.tellAgain(step.id(), Call.TRANSACTIONAL_STEP);
        if (told != null) {
            return toldAgain(told, type);
        }
        journal.requireNotClosing();
        journal.write();
        journal.requireNotToStop(step.id());
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
            throw journal.leave(Rest.NOTHING, "Another node drives the run.", fenced);
        } catch (VirtualMachineError fatal) {
            throw journal.leave(Rest.GIVE_BACK, "Step '%s' met %s.".formatted(step.id(), fatal), fatal);
        } catch (StepTransactions.UnknownException unknown) {
            throw journal.leave(
                    Rest.GIVE_BACK, "The database was lost during a transactional step.", unknown.getCause());
        } catch (Throwable failed) {
            requireStillHeld(failed);
            if (!begun.get() && failed instanceof CannotCreateTransactionException) {
                throw journal.leave(Rest.GIVE_BACK, "There is no transaction for the step.", failed);
            }
            throw failed(step, Call.TRANSACTIONAL_STEP, failed);
        }
        journal.written();
        return read.get();
    }

    @Override
    public void sleep(String step, Duration pause) {
        requireOwnThread(step);
        journal.requireNew(step);
        if (pause.isNegative()) {
            throw new IllegalArgumentException("Step '%s' cannot sleep for %s.".formatted(step, pause));
        }
        Entry told = journal.tellAgain(step, Call.SLEEP);
        if (told != null && (journal.isToldAgain() || isOver(told))) {
            journal.requireNotStoppedAsleep(step);
            return;
        }
        Duration left = pause;
        if (told == null) {
            journal.add(Entry.waiting(journal.position(), step, Call.SLEEP, pause));
        } else {
            left = untilThen(told);
        }
        while (true) {
            journal.requireNotToStop(step, left);
            journal.suspend(left);
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
        return (T) await(new Wait(signal, null, false), type).orElseThrow().value();
    }

    @Override
    public <T> Optional<T> awaitSignal(String signal, Duration within, Class<T> type) {
        return await(new Wait(signal, within, false), type).map(said -> type.cast(said.value()));
    }

    @Override
    public <T> Optional<T> awaitReply(String wait, @Nullable Duration within, Class<T> type) {
        return await(new Wait(wait, within, true), type).map(said -> type.cast(said.value()));
    }

    private record Said(@Nullable Object value) {}

    /** For what it is waited, and whether it is to be given whatever was accepted before the wait is over. */
    private record Wait(String signal, @Nullable Duration within, boolean exact) {}

    private Optional<Said> await(Wait wait, Type type) {
        String signal = wait.signal();
        Duration within = wait.within();
        requireOwnThread(signal);
        Entry told = journal.tellAgain(signal, Call.SIGNAL);
        Entry waiting = null;
        if (told != null && told.mark() == Mark.WAITING) {
            waiting = told;
            told = journal.tellMore(signal, Call.SIGNAL);
        }
        if (told != null) {
            return told.mark() == Mark.TIMED_OUT
                    ? Optional.empty()
                    : Optional.of(new Said(read(signal, told.value(), type)));
        }
        Duration left = waiting == null ? within : untilThen(waiting);
        boolean isAnnounced = waiting != null;
        while (true) {
            Optional<RunStore.Signal> said = journal.nextSignal(signal);
            if (said.isPresent()) {
                journal.add(new Entry(
                        journal.position(),
                        signal,
                        Call.SIGNAL,
                        Mark.DONE,
                        said.get().value(),
                        Long.toString(said.get().number()),
                        null,
                        null,
                        null));
                return Optional.of(new Said(read(signal, said.get().value(), type)));
            }
            boolean isOver = waiting == null ? wait.exact() && within != null && within.isZero() : isOver(waiting);
            if (isOver) {
                if (journal.conclude(Entry.marked(journal.position(), signal, Call.SIGNAL, Mark.TIMED_OUT, null))) {
                    return Optional.empty();
                }
                continue;
            }
            if (!wait.exact()) {
                journal.requireNotToStop(signal);
            } else if (!journal.requireNotToStopAwaiting(signal)) {
                continue;
            }
            if (!isAnnounced) {
                journal.add(Entry.waiting(journal.position(), signal, Call.SIGNAL, within));
                isAnnounced = true;
            }
            journal.suspend(left);
        }
    }

    @Override
    public int retries() {
        return retries;
    }

    @Override
    public boolean isReplaying() {
        return journal.isToldAgain();
    }

    @Override
    public void ending() {
        requireOwnThread("ending");
        journal.ending();
    }

    @Override
    public boolean mayHaveBegun() {
        return journal.mayHaveBegun();
    }

    @Override
    public void compensating() {
        requireOwnThread("compensating");
        journal.compensating();
    }

    @Override
    public Instant now() {
        requireOwnThread("now");
        Entry told = journal.tellAgain("now", Call.NOW);
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
        return journal.isToldAgain() ? NOPLogger.NOP_LOGGER : logger;
    }

    private <T extends @Nullable Object> T inside(String step, Callable<T> body) throws Exception {
        inside = step;
        within = chance(step.hashCode());
        try {
            return hold.amid(body);
        } finally {
            inside = null;
        }
    }

    private void requireStillHeld(Throwable failed) {
        if (hold.stop() != null) {
            throw journal.leave(Rest.GIVE_BACK, "The run had to stop: %s.".formatted(hold.stop()), failed);
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
        journal.requireNotLeft();
        requireNoTransaction(step);
    }

    /** Also of what is only told again: a refusal that was caught is met again. */
    private static void requireNoTransaction(String step) {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalTransactionStateException(
                    "'%s' was asked for inside a transaction. What is journaled is committed by itself, and what the transaction did may be rolled back: use a transactional step, and no transaction around the run."
                            .formatted(step));
        }
    }
}
