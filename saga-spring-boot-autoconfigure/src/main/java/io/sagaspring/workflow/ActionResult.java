package io.sagaspring.workflow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an action says of its work.
 *
 * @since 0.1.0
 */
public sealed interface ActionResult {

    /**
     * The work is done: commit it.
     *
     * @param value what the caller gets, if anything
     */
    record Success(@Nullable Object value) implements ActionResult {}

    /**
     * The work could not be done: roll it back.
     *
     * @param reason a sentence for people
     */
    record Failure(String reason) implements ActionResult {}

    /**
     * The work must not be done: roll it back.
     *
     * @param messages sentences for people
     */
    record Invalid(List<String> messages) implements ActionResult {

        /**
         * Keeps them as they are.
         *
         * @param messages sentences for people
         */
        public Invalid {
            messages = List.copyOf(messages);
        }
    }

    /**
     * The work is done.
     *
     * @return a success without a value
     */
    static ActionResult success() {
        return new Success(null);
    }

    /**
     * The work is done, and there is something to tell.
     *
     * @param value what the caller gets
     * @return a success
     */
    static ActionResult success(Object value) {
        return new Success(value);
    }

    /**
     * The work could not be done.
     *
     * @param reason a sentence for people
     * @return a failure
     */
    static ActionResult failure(String reason) {
        return new Failure(reason);
    }

    /**
     * The work must not be done.
     *
     * @param messages sentences for people
     * @return an objection
     */
    static ActionResult invalid(String... messages) {
        return new Invalid(List.of(messages));
    }
}
