package io.sagaspring.run;

import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.CannotCreateTransactionException;

/** Replays the steps of a run, or executes and journals them. */
final class Steps {

    private final RunId run;
    private final RunControl control;
    private final Journal journal;
    private final EarlyExit earlyExit;
    private final CodePosition position;
    private final Payloads payloads;
    private final StepTransactions transactions;
    private final FireAndForgetRuns fireAndForget;
    private final Timeouts timeouts;
    private final StepAttempts.Surroundings surroundings;

    Steps(
            RunId run,
            StepAttempts.Surroundings surroundings,
            CodePosition position,
            ReplayingRunContext.Services services) {
        this.run = run;
        this.surroundings = surroundings;
        this.control = surroundings.control();
        this.journal = control.journal();
        this.earlyExit = control.earlyExit();
        this.position = position;
        this.payloads = services.payloads();
        this.transactions = services.transactions();
        this.fireAndForget = services.fireAndForget();
        this.timeouts = services.timeouts();
    }

    @Nullable
    Object step(Step step, Type type, Callable<? extends @Nullable Object> code) {
        journal.requireNew(step.id());
        StepAttempts attempts = new StepAttempts(step, Call.STEP, surroundings);
        JournalEntry entry = attempts.replay(control.replay(step.id(), Call.STEP));
        while (entry != null && entry.mark() == Mark.INTENT) {
            entry = attempts.replay(settled(step, type));
        }
        return entry == null ? begin(attempts, type, code) : replayed(entry, type);
    }

    /** Returns the entry with the outcome of a step that has begun and must not be repeated. */
    private JournalEntry settled(Step step, Type type) {
        JournalEntry more = control.replayMore(step.id(), Call.STEP);
        if (more != null) {
            return more;
        }
        return found(step, type, null);
    }

    /**
     * Asks the resolver of a step whether the step took effect, and journals the answer. If the step has no resolver,
     * or the resolver throws an exception, the run is in doubt.
     *
     * @param late the exception for the time-out if this execution began the step, or null if an earlier one began it
     */
    private JournalEntry found(Step step, Type type, @Nullable StepTimeoutException late) {
        Step.Resolver resolver = step.resolver();
        if (resolver == null) {
            requireNotToStopUnless(late, step);
            throw doubt(step, late);
        }
        JournalEntry entry;
        try {
            Optional<?> found = position.callStep(step.id(), () -> resolver.resolve(position.idempotencyKey()));
            entry = found.isPresent() ? done(step, Call.STEP, found.get()) : absent(step);
            Object unused = payloads.read(entry.value(), type);
        } catch (Throwable unknown) {
            control.requireNotInterrupted(unknown);
            requireNotToStopUnless(late, step);
            throw doubt(step, unknown);
        }
        journal.add(entry);
        return entry;
    }

    /**
     * Stops the run if it must stop, for example because it was cancelled. Does nothing if this attempt has timed out:
     * the journal entry of a stop would state that the step's code was never called.
     */
    private void requireNotToStopUnless(@Nullable StepTimeoutException late, Step step) {
        if (late == null) {
            control.requireNotToStop(step.id());
        }
    }

    /**
     * Finds out whether a step that timed out and must not be repeated took effect. If it did not take effect, the step
     * fails because of the time-out.
     */
    private JournalEntry settledAfter(StepTimeoutException late, Step step, Type type) {
        JournalEntry entry = found(step, type, late);
        if (entry.mark() == Mark.ABSENT) {
            throw failed(step, Call.STEP, late);
        }
        return entry;
    }

    private @Nullable Object withinTimeout(Step step, Callable<? extends @Nullable Object> code) throws Exception {
        Duration timeout = step.timeout();
        if (timeout == null) {
            return code.call();
        }
        try {
            return timeouts.<@Nullable Object>within(timeout, code::call);
        } catch (Timeouts.TooLateException late) {
            throw new StepTimeoutException(step.id(), timeout, late);
        }
    }

    private Unwinding doubt(Step step, @Nullable Throwable cause) {
        return earlyExit.leave(new Exit.InDoubt(
                "Step '%s' was begun and must not be repeated, but it is unknown whether the step took effect. Find out, and then call Runs.resolveAsDone or Runs.resolveAsNotDone."
                        .formatted(step.id()),
                cause));
    }

    private @Nullable Object begin(StepAttempts attempts, Type type, Callable<? extends @Nullable Object> code) {
        Step step = attempts.step();
        attempts.awaitPause();
        control.requireNotClosing();
        requireType(step, Call.STEP, type);
        while (true) {
            if (step.repeatable()) {
                journal.write();
            } else {
                writeIntent(step);
            }
            control.requireNotToStop(step.id());
            Outcome outcome = attempt(attempts, type, code);
            if (!outcome.isToBeginAgain()) {
                return outcome.result();
            }
            control.requireNotClosing();
        }
    }

    /**
     * The outcome of an attempt. If the step has failed permanently, an exception is thrown instead.
     *
     * @param isToBeginAgain true if the attempt has failed, and the next attempt is to begin immediately
     * @param result the result of the step
     */
    private record Outcome(boolean isToBeginAgain, @Nullable Object result) {}

    private Outcome attempt(StepAttempts attempts, Type type, Callable<? extends @Nullable Object> code) {
        Step step = attempts.step();
        AtomicBoolean begun = new AtomicBoolean();
        JournalEntry done;
        Object read;
        try {
            Object result = position.callStep(step.id(), () -> {
                begun.set(true);
                return withinTimeout(step, code);
            });
            try {
                done = done(step, Call.STEP, result);
                read = payloads.read(done.value(), type);
            } catch (PayloadException lost) {
                throw new ResultNotStoredException(step.id(), lost);
            }
        } catch (Throwable failed) {
            requireNoNodeError(step, failed);
            if (!step.repeatable() && !begun.get()) {
                journal.add(absent(step));
            }
            control.requireNotInterrupted(failed);
            if (!step.repeatable() && failed instanceof StepTimeoutException late) {
                return new Outcome(false, replayed(settledAfter(late, step, type), type));
            }
            if (attempts.isToBeginAgain(failed)) {
                return new Outcome(true, null);
            }
            throw failed(step, Call.STEP, failed);
        }
        journal.add(done);
        return new Outcome(false, read);
    }

    /**
     * Journals that a step is about to begin. If the step then cannot begin, journals that it did not take effect, so
     * that the run is not in doubt.
     */
    private void writeIntent(Step step) {
        journal.add(JournalEntry.marked(journal.position(), step.id(), Call.STEP, Mark.INTENT, null));
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

    @Nullable
    Object transactionalStep(Step step, Type type, Callable<? extends @Nullable Object> code) {
        journal.requireNew(step.id());
        StepAttempts attempts = new StepAttempts(step, Call.TRANSACTIONAL_STEP, surroundings);
        JournalEntry recorded = attempts.replay(control.replay(step.id(), Call.TRANSACTIONAL_STEP));
        if (recorded != null) {
            return replayed(recorded, type);
        }
        attempts.awaitPause();
        control.requireNotClosing();
        requireType(step, Call.TRANSACTIONAL_STEP, type);
        while (true) {
            journal.write();
            control.requireNotToStop(step.id());
            Outcome outcome = transactionalAttempt(attempts, type, code);
            if (!outcome.isToBeginAgain()) {
                return outcome.result();
            }
            control.requireNotClosing();
        }
    }

    private Outcome transactionalAttempt(StepAttempts attempts, Type type, Callable<? extends @Nullable Object> code) {
        Step step = attempts.step();
        AtomicReference<@Nullable Object> read = new AtomicReference<>();
        AtomicBoolean begun = new AtomicBoolean();
        Callable<? extends @Nullable Object> observed = () -> {
            begun.set(true);
            return withinTimeout(step, code);
        };
        try {
            transactions.run(
                    "Step '%s' of run %s".formatted(step.id(), run),
                    () -> position.callStep(step.id(), observed),
                    result -> {
                        JournalEntry done = done(step, Call.TRANSACTIONAL_STEP, result);
                        read.set(payloads.read(done.value(), type));
                        journal.writeInTransaction(done);
                    });
        } catch (FencedException fenced) {
            throw earlyExit.leave(new Exit.Fenced(fenced));
        } catch (StepTransactions.UnknownException unknown) {
            throw earlyExit.leave(new Exit.Released(
                    "The connection to the database was lost, or could not be obtained, during a transactional step.",
                    Objects.requireNonNullElse(unknown.getCause(), unknown)));
        } catch (Throwable failed) {
            requireNoNodeError(step, failed);
            control.requireNotInterrupted(failed);
            if (!begun.get() && failed instanceof CannotCreateTransactionException) {
                throw earlyExit.leave(new Exit.Released("No transaction could be begun for the step.", failed));
            }
            if (attempts.isToBeginAgain(failed)) {
                return new Outcome(true, null);
            }
            throw failed(step, Call.TRANSACTIONAL_STEP, failed);
        }
        journal.committed();
        return new Outcome(false, read.get());
    }

    RunId startFireAndForget(String step, String code, Object input) {
        journal.requireNew(step);
        JournalEntry recorded = control.replay(step, Call.STEP);
        if (recorded != null) {
            requireNotFailed(recorded);
            return RunId.of(String.valueOf(recorded.detail()));
        }
        control.requireNotClosing();
        journal.write();
        control.requireNotToStop(step);
        RunId id;
        try {
            id = fireAndForget.start(code, "%s:%s".formatted(run, step), input);
        } catch (PayloadException unwritable) {
            throw failed(Step.of(step), Call.STEP, unwritable);
        } catch (RuntimeException failed) {
            throw earlyExit.leave(new Exit.Released(
                    "The run for the fire-and-forget step '%s' cannot be started.".formatted(step), failed));
        }
        journal.add(JournalEntry.marked(journal.position(), step, Call.STEP, Mark.DONE, id.toString()));
        return id;
    }

    private JournalEntry absent(Step step) {
        return JournalEntry.marked(journal.position(), step.id(), Call.STEP, Mark.ABSENT, null);
    }

    private JournalEntry done(Step step, Call call, @Nullable Object result) {
        return JournalEntry.done(journal.position(), step.id(), call, payloads.writeIfAny(result));
    }

    /** Checks the type of the step's result before the step's code is called. */
    private void requireType(Step step, Call call, Type type) {
        try {
            payloads.requireType("The result of step '%s'".formatted(step.id()), type);
        } catch (PayloadException never) {
            throw failed(step, call, never);
        }
    }

    private StepFailedException failed(Step step, Call call, Throwable failure) {
        String why = FailureText.firstLine(failure);
        journal.addFailure(JournalEntry.marked(journal.position(), step.id(), call, Mark.FAILED, why));
        return new StepFailedException(step.id(), why, failure);
    }

    private @Nullable Object replayed(JournalEntry entry, Type type) {
        requireNotFailed(entry);
        return control.read(entry, payloads, type);
    }

    private static void requireNotFailed(JournalEntry recorded) {
        if (recorded.mark() == Mark.FAILED) {
            throw new StepFailedException(recorded.step(), String.valueOf(recorded.detail()), null);
        }
    }

    private void requireNoNodeError(Step step, Throwable failed) {
        if (NodeErrors.is(failed)) {
            throw earlyExit.leave(new Exit.Released(
                    "Step '%s' failed because of an error of this node: %s.".formatted(step.id(), failed), failed));
        }
    }
}
