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
 * What a run asks for. What it was told before it is told again, without anything being done: that is how it goes on where
 * its process died.
 *
 * <ul>
 *   <li>The result of a step is durable before the next thing is done through the context, and before the run ends.
 *   <li>The body of a step is run at least once, and at most once more for each time that its process died; always with one
 *       {@link #idempotencyKey()}. The effects of a {@link #transactionalStep} are there exactly once.
 *   <li>Waiting uses no thread: the method is left, and called again when there is something to go on with.
 * </ul>
 *
 * <p>It belongs to the thread that runs, and to no transaction.
 *
 * @since 0.1.0
 */
public interface RunContext {

    /**
     * Which run this is.
     *
     * @return the id by which others find it
     */
    RunId runId();

    /**
     * Runs a step, unless it was run before.
     *
     * @param step its name
     * @param type what it returns
     * @param body what it does
     * @return what it returned, as it was stored
     * @param <T> what it returns
     * @throws StepFailedException if the body threw
     */
    default <T extends @Nullable Object> T step(String step, Class<T> type, Callable<T> body) {
        return step(Step.of(step), type, body);
    }

    /**
     * Runs a step, unless it was run before.
     *
     * @param step its name, or more
     * @param type what it returns
     * @param body what it does
     * @return what it returned, as it was stored
     * @param <T> what it returns
     * @throws StepFailedException if the body threw
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // Null is returned where it is a T.
    default <T extends @Nullable Object> T step(Step step, Class<T> type, Callable<T> body) {
        return (T) step(step, (Type) type, body);
    }

    /**
     * Runs a step that returns something of a generic type, unless it was run before.
     *
     * @param step its name, or more
     * @param type what it returns
     * @param body what it does
     * @return what it returned, as it was stored
     * @param <T> what it returns
     * @throws StepFailedException if the body threw
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // Null is returned where it is a T.
    default <T extends @Nullable Object> T step(Step step, ParameterizedTypeReference<T> type, Callable<T> body) {
        return (T) step(step, type.getType(), body);
    }

    /**
     * Runs a step that returns nothing, unless it was run before.
     *
     * @param step its name
     * @param body what it does
     * @throws StepFailedException if the body threw
     */
    default void step(String step, Body body) {
        step(Step.of(step), body);
    }

    /**
     * Runs a step that returns nothing, unless it was run before.
     *
     * @param step its name, or more
     * @param body what it does
     * @throws StepFailedException if the body threw
     */
    default void step(Step step, Body body) {
        Object unused = step(step, (Type) Void.class, body.returningNull());
    }

    /**
     * Runs a step, unless it was run before. A type whose values could never be read back fails the step before its body is
     * called. If what the body returned cannot be stored, the step fails although it took effect, and its message says so
     * ({@link ResultNotStoredException}).
     *
     * @param step its name, or more
     * @param type what it returns
     * @param body what it does
     * @return what it returned, as it was stored
     * @throws StepFailedException if the body threw, or what it returned cannot be stored
     */
    @Nullable
    Object step(Step step, Type type, Callable<? extends @Nullable Object> body);

    /**
     * Runs a step in a transaction of the database that has the journal: what it writes there and that it was run are
     * committed together.
     *
     * @param step its name
     * @param type what it returns
     * @param body what it does
     * @return what it returned, as it was stored
     * @param <T> what it returns
     * @throws StepFailedException if the body threw, or the transaction could not be committed
     */
    default <T extends @Nullable Object> T transactionalStep(String step, Class<T> type, Callable<T> body) {
        return transactionalStep(Step.of(step), type, body);
    }

    /**
     * Runs a step in a transaction of the database that has the journal.
     *
     * @param step its name, or more
     * @param type what it returns
     * @param body what it does
     * @return what it returned, as it was stored
     * @param <T> what it returns
     * @throws StepFailedException if the body threw, or the transaction could not be committed
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // Null is returned where it is a T.
    default <T extends @Nullable Object> T transactionalStep(Step step, Class<T> type, Callable<T> body) {
        return (T) transactionalStep(step, (Type) type, body);
    }

    /**
     * Runs a step in a transaction, and returns nothing.
     *
     * @param step its name
     * @param body what it does
     * @throws StepFailedException if the body threw, or the transaction could not be committed
     */
    default void transactionalStep(String step, Body body) {
        Object unused = transactionalStep(Step.of(step), (Type) Void.class, body.returningNull());
    }

    /**
     * Runs a step in a transaction of the database that has the journal.
     *
     * @param step its name, or more
     * @param type what it returns
     * @param body what it does
     * @return what it returned, as it was stored
     * @throws StepFailedException if the body threw, or the transaction could not be committed
     */
    @Nullable
    Object transactionalStep(Step step, Type type, Callable<? extends @Nullable Object> body);

    /** The body of a step that returns nothing. */
    @FunctionalInterface
    interface Body {

        /**
         * Does what is to be done.
         *
         * @throws Exception to fail
         */
        void run() throws Exception;

        /**
         * The same, as what returns nothing is journaled.
         *
         * @return runs this
         */
        default Callable<@Nullable Object> returningNull() {
            return () -> {
                run();
                return null;
            };
        }
    }

    /**
     * Waits, by the database's clock.
     *
     * @param step its name
     * @param pause for how long
     */
    void sleep(String step, Duration pause);

    /**
     * Waits until somebody tells the run something. A signal whose value is not of the type is refused: the journal says so, and
     * the run waits for the next one.
     *
     * @param signal what it is about
     * @param type what is said
     * @return what was said
     * @param <T> what is said
     */
    <T extends @Nullable Object> T awaitSignal(String signal, Class<T> type);

    /**
     * Waits until somebody tells the run something, but not for ever. A signal whose value is not of the type is refused, and the
     * run waits for the next one for the rest of the time.
     *
     * @param signal what it is about
     * @param within for how long it is waited
     * @param type what is said, which must not be null
     * @return what was said in time
     * @param <T> what is said
     */
    <T> Optional<T> awaitSignal(String signal, Duration within, Class<T> type);

    /**
     * Waits for a {@link Runs#reply}, of which there is one. Whoever is told that it was accepted can rely on it: the wait
     * neither times out nor is stopped after that.
     *
     * @param wait what the reply is about
     * @param within for how long it is waited, or null
     * @param type what is said, which must not be null
     * @return what was said in time
     * @param <T> what is said
     * @throws StepFailedException if the reply is not of the type: there is no other one
     */
    <T> Optional<T> awaitReply(String wait, @Nullable Duration within, Class<T> type);

    /**
     * How often somebody had the run go on after it had failed, or could not be undone.
     *
     * @return only ever more
     */
    int retries();

    /**
     * Whether the run is only told again what it was told before.
     *
     * @return false where the next step would be run
     */
    boolean isReplaying();

    /**
     * Whether the step that is asked for next may have begun before, on a node that died in it or had to leave it.
     *
     * @return false where its body was certainly never called
     */
    boolean mayHaveBegun();

    /**
     * Says that the run has come to its end, where a cancellation must not get lost that comes meanwhile: it is told to stop
     * here, or completes without having been told so.
     */
    void ending();

    /**
     * Says that from here on the run undoes what it did: it is shown as {@link RunState#COMPENSATING}, and is not told to stop
     * any more. Where something cannot be undone, throw {@link CompensationFailedException}.
     */
    void compensating();

    /**
     * The time.
     *
     * @return the same each time, by the database's clock
     */
    Instant now();

    /**
     * Chance.
     *
     * @return draws the same numbers each time; each run has its own, and in it the body of each step, and whoever knows the
     *     run's id can know them
     */
    RandomGenerator random();

    /**
     * What tells the effect of this step from every other one. To be asked for in the body of a step.
     *
     * @return the same however often the body is run
     */
    String idempotencyKey();

    /**
     * A log that is silent while the run is only told again what it was told.
     *
     * @return the log for this moment
     */
    Logger log();

    /**
     * Starts another run beside this one, and does not wait for it. After a crash the step finds the run that it has started. It
     * goes on also if this run fails or is cancelled.
     *
     * @param step the name of this step
     * @param run the name of the other run's code
     * @param input the other run's input
     * @return the other run's id
     * @throws StepFailedException if the input cannot be stored, or not be read back
     */
    RunId startFireAndForget(String step, String run, Object input);
}
