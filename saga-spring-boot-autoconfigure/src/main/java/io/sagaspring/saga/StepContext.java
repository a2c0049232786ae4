package io.sagaspring.saga;

import java.util.Optional;
import org.slf4j.Logger;
import org.springframework.core.ParameterizedTypeReference;

/**
 * What a step knows.
 *
 * @param <I> what the execution was given
 * @since 0.1.0
 */
public interface StepContext<I> {

    /**
     * What the execution was given.
     *
     * @return as it was stored
     */
    I input();

    /**
     * Which execution.
     *
     * @return its id
     */
    String executionId();

    /**
     * Which step.
     *
     * @return its name
     */
    String step();

    /**
     * Which attempt.
     *
     * @return 1 for the first
     */
    int attempt();

    /**
     * What tells the effect of this step from every other one: hand it to whoever is called.
     *
     * @return the same for each attempt, however often a process dies; its undo has another
     */
    String effectKey();

    /**
     * In an undo, what the step handed to whoever it called: to find there what is to be undone.
     *
     * @return the effect key of the step
     * @throws IllegalStateException if nothing is being undone
     */
    String compensatedEffectKey();

    /**
     * What a step before has stored.
     *
     * @param key the name of a record's component or of a map's key, of a step, or what {@code storeResultAs} says
     * @param type what it is
     * @return as it was stored
     * @param <T> what it is
     * @throws IllegalStateException if nothing is stored there
     */
    <T> T get(String key, Class<T> type);

    /**
     * What a step before may have stored.
     *
     * @param key as for {@link #get}
     * @param type what it is
     * @return as it was stored, or empty
     * @param <T> what it is
     */
    <T> Optional<T> find(String key, Class<T> type);

    /**
     * What a step before may have stored, of a generic type.
     *
     * @param key as for {@link #get}
     * @param type what it is
     * @return as it was stored, or empty
     * @param <T> what it is
     */
    <T> Optional<T> find(String key, ParameterizedTypeReference<T> type);

    /**
     * Puts a value into the context, for later steps. It is journaled together with the step's result: if the attempt fails, it is
     * not there. What the step returns wins over what it has put under the same key.
     *
     * @param key the value's key; another step must not store under it
     * @param value stored as JSON
     * @throws IllegalStateException if another step stores under the key, or nothing can be stored here
     */
    void put(String key, Object value);

    /**
     * Returns what {@code args} makes for this step. It is made anew at each call, of the context as it is then: in a compensation
     * also of what later steps have stored.
     *
     * @param type what it is
     * @return made from the context
     * @param <T> what it is
     * @throws IllegalStateException if the step has no args, or they are of another type
     */
    <T> T args(Class<T> type);

    /**
     * In an undo: what the step returned; of an asynchronous one, what its initiation returned.
     *
     * @param type what it is
     * @return empty if it returned nothing, or nobody knows whether it took effect
     * @param <T> what it is
     */
    <T> Optional<T> result(Class<T> type);

    /**
     * In an undo: what the step returned, of a generic type.
     *
     * @param type what it is
     * @return empty if it returned nothing, or nobody knows whether it took effect
     * @param <T> what it is
     */
    <T> Optional<T> result(ParameterizedTypeReference<T> type);

    /**
     * In an undo: whether the step is known to have taken effect. If not, there may be nothing to undo, and the undo has to
     * do no harm then.
     *
     * @return false if the step's process died in it, or it was interrupted
     */
    boolean tookEffect();

    /**
     * In a long body: whether the execution was cancelled meanwhile, so that there is no use in going on. A query each time.
     *
     * @return whether somebody has cancelled it
     */
    boolean isCancelled();

    /**
     * In an asynchronous step: by which number whoever calls back knows it. It is noted at once, whatever becomes of this
     * attempt, so that a callback that comes early finds it: {@link Sagas#correlated}.
     *
     * @param externalId the number that somebody else has given it
     */
    void correlate(String externalId);

    /**
     * In an asynchronous step: what whoever calls back has to show.
     *
     * @return unguessable, the same however often this attempt is begun
     */
    String callbackToken();

    /**
     * A log.
     *
     * @return named after the saga
     */
    Logger log();
}
