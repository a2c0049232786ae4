package io.sagaspring.run;

import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The attempts of one step. Each failed attempt is a journal entry, and the pause after it is a suspension of the run.
 * A crash in an attempt is not a failed attempt: it leaves no entry.
 */
final class StepAttempts {

    private static final Logger logger = LoggerFactory.getLogger(StepAttempts.class);

    private final Step step;
    private final Call call;
    private final Surroundings surroundings;
    private final Journal journal;
    private int failed;
    private @Nullable JournalEntry last;

    /**
     * The parts of a run that its steps use.
     *
     * @param control the object that suspends and stops the run
     * @param retries the number of times that a person has retried the run; each retry starts the count of attempts
     *     again
     * @param remaining the function that returns the time until the pause of an entry has passed, or null if the entry
     *     has none
     * @param againAtOnce the consumer of the exception that made an attempt fail, called if the next attempt follows
     *     without a pause
     */
    record Surroundings(
            RunControl control,
            int retries,
            Function<JournalEntry, @Nullable Duration> remaining,
            Consumer<Throwable> againAtOnce) {}

    StepAttempts(Step step, Call call, Surroundings surroundings) {
        this.step = step;
        this.call = call;
        this.surroundings = surroundings;
        this.journal = surroundings.control().journal();
    }

    Step step() {
        return step;
    }

    /**
     * Replays all entries of the step. Returns the latest one. Returns null if the step must be executed, for the first
     * time or again.
     *
     * @param first the first of the entries, which was replayed before, or null
     */
    @Nullable
    JournalEntry replay(@Nullable JournalEntry first) {
        JournalEntry entry = first;
        for (JournalEntry later = entry; later != null; later = journal.replayLater(step.id(), call)) {
            entry = later;
            count(entry);
        }
        boolean isToBegin = entry != null && (entry.mark() == Mark.ABSENT || entry.mark() == Mark.ATTEMPT_FAILED);
        return isToBegin ? surroundings.control().replayMore(step.id(), call) : entry;
    }

    private void count(JournalEntry entry) {
        if (entry.attemptedAfter() == surroundings.retries()) {
            failed++;
            last = entry;
        }
    }

    /**
     * Suspends the run again if the pause after the previous attempt has not passed, for example because a signal made
     * the run due early. Does nothing if the next attempt may already have begun, because a suspension would record
     * that the attempt has not begun.
     */
    void awaitPause() {
        Duration remaining = last == null || journal.mayHaveBegun()
                ? null
                : surroundings.remaining().apply(last);
        if (remaining != null && !remaining.isNegative() && !remaining.isZero()) {
            suspend(new Exit.Suspended(remaining, RunEvent.SUSPENDED, null));
        }
    }

    /**
     * Journals a failed attempt. If a pause follows, suspends the run and never returns. Otherwise returns true: the
     * next attempt begins immediately. If the failure is final, journals nothing and returns false.
     */
    boolean isToBeginAgain(Throwable failure) {
        Duration pause = pauseAfter(failure);
        if (pause == null) {
            return false;
        }
        failed++;
        if (logger.isDebugEnabled()) {
            logger.debug("Attempt {} of step '{}' failed: {}", failed, step.id(), FailureText.of(failure));
        }
        journal.add(JournalEntry.attemptFailed(
                journal.position(), step.id(), call, surroundings.retries(), FailureText.firstLine(failure), pause));
        if (!pause.isZero()) {
            suspend(new Exit.Suspended(pause, RunEvent.RETRYING, failure));
        }
        surroundings.againAtOnce().accept(failure);
        return true;
    }

    /**
     * Returns the pause before the next attempt, or null if the failure is final. If only the result could not be
     * stored, the failure is final, because the step has taken effect.
     */
    private @Nullable Duration pauseAfter(Throwable failure) {
        Retry retry = step.retry();
        if (retry == null || failure instanceof ResultNotStoredException || failure instanceof PayloadException) {
            return null;
        }
        try {
            return pauseBy(retry, failure);
        } catch (RuntimeException | LinkageError broken) {
            // A Spring policy may call code of the application, which may throw an exception.
            Retry.note(failure, broken);
            return null;
        }
    }

    private @Nullable Duration pauseBy(Retry retry, Throwable failure) {
        int attempts = failed + 1;
        if (!retry.allowsAfter(attempts) || !retry.covers(failure)) {
            return null;
        }
        Duration named = retry.delayNamedBy(failure);
        // Do not use the run's random generator: a replay skips this call, and would then draw other numbers.
        return named == null ? retry.pauseAfter(attempts, ThreadLocalRandom.current()) : named;
    }

    /**
     * Suspends the run, and never returns. If the control state has changed in the meantime, stops the run or suspends
     * it again.
     */
    private void suspend(Exit.Suspended exit) {
        while (true) {
            surroundings.control().requireNotToStop(step.id());
            surroundings.control().suspend(exit);
        }
    }
}
