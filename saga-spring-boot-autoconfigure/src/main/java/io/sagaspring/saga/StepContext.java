package io.sagaspring.saga;

import java.util.Optional;
import org.slf4j.Logger;
import org.springframework.core.ParameterizedTypeReference;

/**
 * The API for one attempt of a step, or of its compensation.
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
     * @return the number, starting at 1
     */
    int attempt();

    /**
     * Returns the key that identifies the effect of this step. Pass it to the system that you call, so that the system
     * recognizes a repeated call.
     *
     * @return the key; it is the same for each attempt, even after a crash. The step's compensation has a different key
     */
    String effectKey();

    /**
     * Returns, in a compensation, the effect key of the step to compensate. Use it to find the effect in the
     * system that the step called.
     *
     * @return the effect key of the step
     * @throws IllegalStateException if this is not a compensation
     */
    String compensatedEffectKey();

    /**
     * Returns a value that an earlier step, or this attempt, has stored.
     *
     * @param key the name of a record component, a key of a map, the name of a step, the key set by {@code
     *     storeResultAs}, or a key passed to {@link #put}
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
     * attempt fails, the value is not stored. If the step's result contains the same key, the result has precedence.
     *
     * @param key the value's key; no other step may store a value under it
     * @param value the value, stored as JSON
     * @throws IllegalStateException if the key is blank, if another step stores a value under it, or if a condition, a
     *     compensation or a fire-and-forget step calls this method
     */
    void put(String key, Object value);

    /**
     * Labels the execution, so that {@link SagaQuery#withLabel} finds it. The label is journaled together with the step's result: if the
     * attempt fails, the label is not set. It becomes visible before the next step begins, or when the execution waits or ends. A label that
     * is set again gets the new value.
     *
     * @param name the name of the label: a letter, followed by at most 99 letters, digits, dots, hyphens or underscores
     * @param value the value of the label, of at most {@value io.sagaspring.run.Labels#LONGEST_VALUE} characters
     * @throws io.sagaspring.run.InvalidNameException if the name or the value is not allowed, or the steps of the execution set more than
     *     {@value io.sagaspring.run.Labels#MOST} names
     * @throws IllegalStateException if a condition, a compensation or a fire-and-forget step calls this method
     */
    void label(String name, String value);

    /**
     * Returns the arguments that the step's {@code args} function computes. Each call of this method calls the
     * function, with the current context. In a compensation, the context also contains values that later steps have
     * stored.
     *
     * @param type the type of the arguments
     * @return the arguments
     * @param <T> the type of the arguments
     * @throws IllegalStateException if the step has no such function, or the function returns another type or null
     */
    <T> T args(Class<T> type);

    /**
     * In a compensation, returns the result of the step. For an asynchronous step, this is the result of the code that
     * started the work.
     *
     * @param type the type of the result
     * @return the result, or empty if the step returned nothing or it is unknown whether the step took effect
     * @param <T> the type of the result
     */
    <T> Optional<T> result(Class<T> type);

    /**
     * In a compensation, returns the result of a step whose result has a generic type.
     *
     * @param type the type of the result
     * @return the result, or empty if the step returned nothing or it is unknown whether the step took effect
     * @param <T> the type of the result
     */
    <T> Optional<T> result(ParameterizedTypeReference<T> type);

    /**
     * In a compensation, returns true if the step is known to have taken effect. If this is unknown, there may be
     * nothing to compensate. In that case, the compensation must be harmless.
     *
     * @return false if the process died in the step, the step was interrupted, or its outcome is unknown for
     *     another reason
     */
    boolean tookEffect();

    /**
     * Returns true if the execution has been cancelled. Long-running code can use this to stop early. Each call queries
     * the database.
     *
     * @return true if the execution has been cancelled
     */
    boolean isCancelled();

    /**
     * In an asynchronous step, records the id by which another system knows the work, for {@link Sagas#correlated}. The
     * id is recorded immediately, so that an early callback finds the attempt. The id remains recorded even if this
     * attempt fails later.
     *
     * @param externalId the id that the other system has given to the work
     * @throws io.sagaspring.run.InvalidNameException if the id is blank, has over 500 characters, or contains a
     *     character that cannot be stored
     * @throws org.springframework.transaction.IllegalTransactionStateException if a transaction is active
     * @throws IllegalStateException if the step is not asynchronous or is being compensated, or if the execution has
     *     ended
     */
    void correlate(String externalId);

    /**
     * In an asynchronous step, returns the token that the callback must present.
     *
     * @return the token of this attempt; it cannot be guessed, and stays the same if this attempt is executed again
     *     after a crash
     * @throws IllegalStateException if the step is not asynchronous or is being compensated
     */
    String callbackToken();

    /**
     * Returns the logger of the saga.
     *
     * @return the logger {@code io.sagaspring.saga.<name of the saga>}
     */
    Logger log();
}
