package io.sagaspring.workflow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result that an action returns. The result decides between commit and rollback.
 *
 * @since 0.1.0
 */
public sealed interface ActionResult {

    /**
     * A success. The transaction of the action is committed, unless the step has lost its claim or meets a conflict.
     *
     * @param value the value that the caller gets, or null if there is none
     */
    record Success(@Nullable Object value) implements ActionResult {}

    /**
     * A failure. The transaction of the action is rolled back.
     *
     * @param reason a human-readable sentence
     */
    record Failure(String reason) implements ActionResult {}

    /**
     * An objection: the action must not be executed on this entity or with this input. The transaction of the action is
     * rolled back.
     *
     * @param messages human-readable sentences
     */
    record Invalid(List<String> messages) implements ActionResult {

        /**
         * Copies the messages.
         *
         * @param messages human-readable sentences
         */
        public Invalid {
            messages = List.copyOf(messages);
        }
    }

    /**
     * Reports a success.
     *
     * @return a success without a value
     */
    static ActionResult success() {
        return new Success(null);
    }

    /**
     * Reports a success with a value for the caller.
     *
     * @param value the value that the caller gets
     * @return a success with the value
     */
    static ActionResult success(Object value) {
        return new Success(value);
    }

    /**
     * Reports that the action could not do its work.
     *
     * @param reason a human-readable sentence
     * @return a failure
     */
    static ActionResult failure(String reason) {
        return new Failure(reason);
    }

    /**
     * Reports that the action must not be executed on this entity or with this input.
     *
     * @param messages human-readable sentences
     * @return an objection, with the messages
     */
    static ActionResult invalid(String... messages) {
        return new Invalid(List.of(messages));
    }
}
