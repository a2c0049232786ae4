package io.sagaspring.test.saga;

import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.RunId;
import io.sagaspring.saga.StepContext;
import java.util.regex.Pattern;

/**
 * Where a node dies, once.
 *
 * @param when on which side of what
 * @param step as the journal calls it: a step's name, or that of its undo
 * @param execution of which execution
 */
record CrashPoint(When when, String step, RunId execution) {

    private static final String UNDO = ":undo";

    /** On which side of what. */
    enum When {
        BEFORE_BODY("before the body of"),
        AFTER_BODY("after the body of"),
        AFTER_JOURNALED("after it had journaled");

        private final String text;

        When(String text) {
            this.text = text;
        }
    }

    boolean isAt(When side, StepContext<?> context) {
        String id = context.effectKey().endsWith(UNDO) ? context.step() + UNDO : context.step();
        return when == side && step.equals(id) && execution.toString().equals(context.executionId());
    }

    /** Its later attempts have a number. */
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
