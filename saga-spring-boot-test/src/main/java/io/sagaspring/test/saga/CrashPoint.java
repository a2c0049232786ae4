package io.sagaspring.test.saga;

import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.RunId;
import io.sagaspring.saga.StepContext;
import java.util.regex.Pattern;

/**
 * The point at which a node dies, once.
 *
 * @param when the moment at which the node dies, in relation to the step
 * @param step the step's name in the journal, or the name of its compensation
 * @param execution the execution that the step belongs to
 */
record CrashPoint(When when, String step, RunId execution) {

    private static final String COMPENSATION_SUFFIX = ":undo";

    /** The moment at which the node dies, in relation to a step. */
    enum When {
        BEFORE_BODY("before the code of"),
        AFTER_BODY("after the code of"),
        AFTER_JOURNALED("after journaling");

        private final String text;

        When(String text) {
            this.text = text;
        }
    }

    boolean isAt(When side, StepContext<?> context) {
        String id = context.effectKey().endsWith(COMPENSATION_SUFFIX)
                ? context.step() + COMPENSATION_SUFFIX
                : context.step();
        return when == side && step.equals(id) && execution.toString().equals(context.executionId());
    }

    /**
     * Returns true if this entry completes the step. In the journal, the name of a later attempt ends with its number.
     */
    boolean isBehind(RunId id, JournalEntry entry) {
        return when == When.AFTER_JOURNALED
                && execution.equals(id)
                && entry.mark() == JournalEntry.Mark.DONE
                && Pattern.matches(Pattern.quote(step) + "(:\\d+)?", entry.step());
    }

    @Override
    public String toString() {
        return "%s '%s'".formatted(when.text, step);
    }
}
