package io.sagaspring.run;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a step beside its body.
 *
 * @param id its name, and its key where it has one: no other step of the run has the same
 * @param repeatable whether its body may be run again, when nobody knows whether it took effect
 * @param resolver finds out whether it took effect, where it must not be repeated
 * @since 0.1.0
 */
public record Step(String id, boolean repeatable, @Nullable Resolver resolver) {

    private static final int LONGEST = 200;

    /**
     * Refuses what cannot be told from others.
     *
     * @param id its name, and its key where it has one
     * @param repeatable whether its body may be run again
     * @param resolver finds out whether it took effect
     */
    public Step {
        TextRules.requireName("The name of a step, with its key,", id, LONGEST);
    }

    /** Finds out what became of a step whose process died in it. */
    @FunctionalInterface
    public interface Resolver {

        /**
         * Asks whoever the step has asked.
         *
         * @param idempotencyKey of the step
         * @return what it returned if it took effect, else empty: then it is run again
         * @throws Exception if nobody knows: then a person has to say
         */
        Optional<?> resolve(String idempotencyKey) throws Exception;
    }

    /**
     * A step that a run has once.
     *
     * @param name its name
     * @return a step whose body may be run again
     */
    public static Step of(String name) {
        return new Step(name, true, null);
    }

    /**
     * A step that a run has for each of several things.
     *
     * @param name its name
     * @param key which one it is about; its text must be the same each time
     * @return a step whose body may be run again
     */
    public static Step of(String name, Object key) {
        return of("%s:%s".formatted(name, key));
    }

    /**
     * Says that the body must not be run again. Its intent is journaled before. If the process dies between that and the
     * result, the run is in doubt, and waits for a person.
     *
     * @return such a step
     */
    public Step notRepeatable() {
        return new Step(id, false, resolver);
    }

    /**
     * Says that the body must not be run again, and how to find out what became of it.
     *
     * @param resolver asks
     * @return such a step
     */
    public Step notRepeatable(Resolver resolver) {
        return new Step(id, false, resolver);
    }
}
