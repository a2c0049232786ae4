package io.sagaspring.run;

import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.springframework.core.ParameterizedTypeReference;

/**
 * The API through which a run executes its steps, waits, and records its progress. When a run continues after a crash or a wait, its method
 * is called again from the beginning. Completed calls then return their journaled result and are not executed again.
 *
 * <ul>
 *   <li>The result of a step is durable before the next step begins, before the run waits, and before the run ends.
 *   <li>The code of a step is executed at least once, always with the same {@link #idempotencyKey()}. It is executed again only if no
 *       result was journaled, for example because the process died, or because the run failed and was retried.
 *   <li>The writes of a {@link #transactionalStep} to the journal's database are committed exactly once.
 *   <li>A waiting run uses no thread: its method is exited, and is called again from the beginning when the run can
 *       continue.
 * </ul>
 *
 * <p>Use a context only on the thread that executes the run, and outside any transaction.
 *
 * @since 0.1.0
 */
public interface RunContext {

    /**
     * Returns the id of this run.
     *
     * @return the id by which {@link Runs} finds the run
     */
    RunId runId();

    /**
     * Executes a step, or returns its result if the step has already completed.
     *
     * @param step the name of the step
     * @param type the type of the result
     * @param code the code of the step
     * @return the result as it was stored
     * @param <T> the type of the result
     * @throws StepFailedException if the code threw an exception, or its result cannot be stored
     */
    default <T extends @Nullable Object> T step(String step, Class<T> type, Callable<T> code) {
        return step(Step.of(step), type, code);
    }

    /**
     * Executes a step, or returns its result if the step has already completed.
     *
     * @param step the step
     * @param type the type of the result
     * @param code the code of the step
     * @return the result as it was stored
     * @param <T> the type of the result
     * @throws StepFailedException if the code threw an exception, or its result cannot be stored
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // The value is null only if null is a valid T.
    default <T extends @Nullable Object> T step(Step step, Class<T> type, Callable<T> code) {
        return (T) step(step, (Type) type, code);
    }

    /**
     * Executes a step whose result has a generic type, or returns its result if the step has already completed.
     *
     * @param step the step
     * @param type the type of the result
     * @param code the code of the step
     * @return the result as it was stored
     * @param <T> the type of the result
     * @throws StepFailedException if the code threw an exception, or its result cannot be stored
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // The value is null only if null is a valid T.
    default <T extends @Nullable Object> T step(Step step, ParameterizedTypeReference<T> type, Callable<T> code) {
        return (T) step(step, type.getType(), code);
    }

    /**
     * Executes a step that returns nothing, unless the step has already completed.
     *
     * @param step the name of the step
     * @param code the code of the step
     * @throws StepFailedException if the code threw an exception
     */
    default void step(String step, Body code) {
        step(Step.of(step), code);
    }

    /**
     * Executes a step that returns nothing, unless the step has already completed.
     *
     * @param step the step
     * @param code the code of the step
     * @throws StepFailedException if the code threw an exception
     */
    default void step(Step step, Body code) {
        Object unused = step(step, (Type) Void.class, code.returningNull());
    }

    /**
     * Executes a step, or returns its result if the step has already completed.
     *
     * <p>If values of the type could never be read back, the step fails before its code is called. If the code returned something that
     * cannot be stored, the step fails although it took effect. The message then says that the step took effect
     * ({@link ResultNotStoredException}).
     *
     * @param step the step
     * @param type the type of the result
     * @param code the code of the step
     * @return the result as it was stored
     * @throws StepFailedException if the code threw an exception, or its result cannot be stored
     */
    @Nullable
    Object step(Step step, Type type, Callable<? extends @Nullable Object> code);

    /**
     * Executes a step in a transaction of the database that contains the journal. The step's writes to that database
     * and its journal entry are committed together. If the step has already completed, returns its journaled result
     * instead.
     *
     * @param step the name of the step
     * @param type the type of the result
     * @param code the code of the step
     * @return the result as it was stored
     * @param <T> the type of the result
     * @throws StepFailedException if the code threw an exception, its result cannot be stored, or the transaction could
     *     not be committed
     */
    default <T extends @Nullable Object> T transactionalStep(String step, Class<T> type, Callable<T> code) {
        return transactionalStep(Step.of(step), type, code);
    }

    /**
     * Executes a step in a transaction of the database that contains the journal.
     *
     * @param step the step
     * @param type the type of the result
     * @param code the code of the step
     * @return the result as it was stored
     * @param <T> the type of the result
     * @throws StepFailedException if the code threw an exception, its result cannot be stored, or the transaction could
     *     not be committed
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // The value is null only if null is a valid T.
    default <T extends @Nullable Object> T transactionalStep(Step step, Class<T> type, Callable<T> code) {
        return (T) transactionalStep(step, (Type) type, code);
    }

    /**
     * Executes a step that returns nothing, in a transaction of the database that contains the journal, unless the step
     * has already completed.
     *
     * @param step the name of the step
     * @param code the code of the step
     * @throws StepFailedException if the code threw an exception, its result cannot be stored, or the transaction could
     *     not be committed
     */
    default void transactionalStep(String step, Body code) {
        Object unused = transactionalStep(Step.of(step), (Type) Void.class, code.returningNull());
    }

    /**
     * Executes a step in a transaction of the database that contains the journal.
     *
     * @param step the step
     * @param type the type of the result
     * @param code the code of the step
     * @return the result as it was stored
     * @throws StepFailedException if the code threw an exception, its result cannot be stored, or the transaction could
     *     not be committed
     */
    @Nullable
    Object transactionalStep(Step step, Type type, Callable<? extends @Nullable Object> code);

    /** The code of a step that returns nothing. */
    @FunctionalInterface
    interface Body {

        /**
         * Executes the code of the step.
         *
         * @throws Exception if the step fails
         */
        void run() throws Exception;

        /**
         * Returns this code as a callable that returns null.
         *
         * @return the callable
         */
        default Callable<@Nullable Object> returningNull() {
            return () -> {
                run();
                return null;
            };
        }
    }

    /**
     * Waits for a duration, measured by the database clock.
     *
     * @param step the name of the step
     * @param pause the duration
     */
    void sleep(String step, Duration pause);

    /**
     * Waits for a signal. A signal whose value does not have the expected type is rejected: the journal records the rejection, and the run
     * waits for the next signal.
     *
     * @param signal the name of the signal
     * @param type the type of its value
     * @return the value of the signal
     * @param <T> the type of its value
     */
    <T extends @Nullable Object> T awaitSignal(String signal, Class<T> type);

    /**
     * Waits for a signal, for a limited time. A signal whose value does not have the expected type is rejected, and the run waits for the
     * next one during the remaining time.
     *
     * @param signal the name of the signal
     * @param within the time limit
     * @param type the type of the signal's value, which must not be null
     * @return the value of the signal, or empty if none arrived in time
     * @param <T> the type of its value
     */
    <T> Optional<T> awaitSignal(String signal, Duration within, Class<T> type);

    /**
     * Waits for the one reply to this wait, which {@link Runs#reply} sends. When {@link Runs#reply} has returned {@link
     * SignalResult#ACCEPTED}, this wait can no longer time out or be stopped.
     *
     * @param wait the name of the wait
     * @param within the time limit, or null for none
     * @param type the type of the reply, which must not be null
     * @return the value of the reply, or empty if none arrived in time
     * @param <T> the type of the reply
     * @throws StepFailedException if the reply does not have the expected type; the run cannot wait for a better one,
     *     because a wait has only one reply
     */
    <T> Optional<T> awaitReply(String wait, @Nullable Duration within, Class<T> type);

    /**
     * Returns how often a person has retried this run after it had failed or could not be compensated.
     *
     * @return a number that never decreases
     */
    int retries();

    /**
     * Returns true if the run is still being replayed.
     *
     * @return false if the journal has no entry for the next call, so that this call will be executed
     */
    boolean isReplaying();

    /**
     * Declares the definition that the code follows. Call this method before any other. If the run has begun with
     * another definition, it is blocked, even if a node died before it had written the first entry of the journal.
     *
     * @param definition the definition, which begins with {@code saga:} and changes whenever the steps or their order
     *     change
     */
    void follow(String definition);

    /**
     * Returns true if the next step may already have begun, on a node that died in the step or had to abort it.
     *
     * @return false only if the step's code was certainly never called
     */
    boolean mayHaveBegun();

    /**
     * Declares that the run is about to end, so that no cancellation is lost. If the run was cancelled or its deadline
     * has passed, this method throws {@link RunStoppedException}. If the node learns of the cancellation or the
     * deadline only when it stores the completion, the run does not complete. Its method is then called again from the
     * beginning, and this method throws the exception in that execution. Once the completion is stored, a cancellation
     * is rejected.
     */
    void ending();

    /**
     * Declares that the run compensates from now on. The run is shown as {@link RunState#COMPENSATING}, and a cancellation or deadline can
     * no longer stop it. If a step cannot be compensated, throw {@link CompensationFailedException}.
     */
    void compensating();

    /**
     * Returns the current time by the database clock.
     *
     * @return the same time on each replay
     */
    Instant now();

    /**
     * Labels this run, so that {@link RunQuery#withLabel} finds it. The label becomes visible with the next entry of the journal that is
     * written: before the next step begins, or when the run waits or ends. A label that is set again gets the new value.
     *
     * @param name the name of the label: a letter, followed by at most 99 letters, digits, dots, hyphens or underscores
     * @param value the value of the label, of at most {@value Labels#LONGEST_VALUE} characters; it must be the same on each replay
     * @throws InvalidNameException if the name or the value is not allowed, or the code sets more than {@value Labels#MOST} names
     */
    void label(String name, String value);

    /**
     * Returns a random generator that is seeded from the run's id, so it returns the same numbers on each execution.
     * The code of each step has its own sequence. Do not use the generator for secrets: anyone who knows the id can
     * compute the numbers.
     *
     * @return the generator
     */
    RandomGenerator random();

    /**
     * Returns a key that identifies the effect of the current step. Call it only in the code of a step.
     *
     * @return the same key each time the step's code is executed
     */
    String idempotencyKey();

    /**
     * Returns a logger that is silent while the run is replayed.
     *
     * @return the logger to use now; do not keep it
     */
    Logger log();

    /**
     * Starts another run and does not wait for it. After a crash, this step returns the run that it has already started. The other run
     * continues even if this run fails or is cancelled.
     *
     * @param step the name of this step
     * @param run the name of the other run's code: see {@link DurableRun#name()}
     * @param input the input of the other run
     * @return the id of the other run
     * @throws StepFailedException if the input cannot be stored, or cannot be read back
     */
    RunId startFireAndForget(String step, String run, Object input);
}
