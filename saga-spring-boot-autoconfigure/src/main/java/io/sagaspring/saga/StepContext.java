package io.sagaspring.saga;

import java.util.Optional;
import org.slf4j.Logger;
import org.springframework.core.ParameterizedTypeReference;

/**
 * The API of one attempt of a step, or of its compensation.
 *
 * @param <I> the type of the execution's input
 * @since 0.1.0
 */
public interface StepContext<I> {

    /**
     * Returns the execution's input.
     *
     * @return the input as it was stored
     */
    I input();

    /**
     * Returns the id of the execution.
     *
     * @return the id
     */
    String executionId();

    /**
     * Returns the name of the step.
     *
     * @return the name
     */
    String step();

    /**
     * Returns the number of the attempt.
     *
     * @return the number, 1 for the first attempt
     */
    int attempt();

    /**
     * Returns the key that identifies the effect of this step. Pass it to the system that you call, so that the system
     * recognizes a repetition.
     *
     * @return the key: the same for each attempt, also after a crash; the compensation of the step has another key
     */
    String effectKey();

    /**
     * Returns, in a compensation, the effect key of the step that is compensated. With it you find the effect in the
     * system that the step called.
     *
     * @return the effect key of the step
     * @throws IllegalStateException if this is no compensation
     */
    String compensatedEffectKey();

    /**
     * Returns a value that an earlier step has stored.
     *
     * @param key the name of a record component or of a map's key, the name of a step, or the key set by
     *     {@code storeResultAs}
     * @param type the type of the value
     * @return the value as it was stored
     * @param <T> the type of the value
     * @throws IllegalStateException if no value is stored under the key
     */
    <T> T get(String key, Class<T> type);

    /**
     * Returns a value that an earlier step may have stored.
     *
     * @param key the key, as for {@link #get}
     * @param type the type of the value
     * @return the value as it was stored, or empty
     * @param <T> the type of the value
     */
    <T> Optional<T> find(String key, Class<T> type);

    /**
     * Returns a value of a generic type that an earlier step may have stored.
     *
     * @param key the key, as for {@link #get}
     * @param type the type of the value
     * @return the value as it was stored, or empty
     * @param <T> the type of the value
     */
    <T> Optional<T> find(String key, ParameterizedTypeReference<T> type);

    /**
     * Puts a value into the context, for later steps. The value is journaled together with the step's result: if the
     * attempt fails, the value is not stored. If the step's result has the same key, the result wins.
     *
     * @param key the value's key; another step must not store under it
     * @param value the value, stored as JSON
     * @throws IllegalStateException if another step stores under the key, or if nothing can be stored here
     */
    void put(String key, Object value);

    /**
     * Returns the arguments that the step's {@code args} function makes. The function is called each time, with the
     * context as it is then. In a compensation the context also holds values that later steps have stored.
     *
     * @param type the type of the arguments
     * @return the arguments
     * @param <T> the type of the arguments
     * @throws IllegalStateException if the step has no such function, or the function returns another type or null
     */
    <T> T args(Class<T> type);

    /**
     * Returns, in a compensation, the result of the step. For an asynchronous step it is the result of the code that
     * began the work.
     *
     * @param type the type of the result
     * @return the result, or empty if the step returned nothing or it is unknown whether the step took effect
     * @param <T> the type of the result
     */
    <T> Optional<T> result(Class<T> type);

    /**
     * Returns, in a compensation, the result of the step, of a generic type.
     *
     * @param type the type of the result
     * @return the result, or empty if the step returned nothing or it is unknown whether the step took effect
     * @param <T> the type of the result
     */
    <T> Optional<T> result(ParameterizedTypeReference<T> type);

    /**
     * Returns, in a compensation, whether the step is known to have taken effect. If it is not known, there may be
     * nothing to compensate: the compensation must do no harm then.
     *
     * @return false if the process died in the step, the step was interrupted, or its outcome is unknown for another
     *     reason
     */
    boolean tookEffect();

    /**
     * Returns whether the execution has been cancelled in the meantime. Long-running code can then stop early. Each
     * call is a query.
     *
     * @return true if the execution has been cancelled
     */
    boolean isCancelled();

    /**
     * Records, in an asynchronous step, the id by which another system knows the work, for {@link Sagas#correlated}.
     * The id is recorded at once, even if this attempt fails later, so that an early callback finds the attempt.
     *
     * @param externalId the id that the other system has given to the work
     * @throws io.sagaspring.run.InvalidNameException if the id is blank, has over 500 characters, or has a character
     *     that cannot be stored
     * @throws org.springframework.transaction.IllegalTransactionStateException if a transaction is active
     * @throws IllegalStateException if the step is not asynchronous, is being compensated, or the execution has ended
     */
    void correlate(String externalId);

    /**
     * Returns, in an asynchronous step, the token that the callback must present.
     *
     * @return the token: it cannot be guessed, and is the same each time this attempt is executed
     */
    String callbackToken();

    /**
     * Returns the logger of the saga.
     *
     * @return a logger named after the saga
     */
    Logger log();
}
