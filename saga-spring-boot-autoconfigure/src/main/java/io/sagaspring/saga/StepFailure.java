package io.sagaspring.saga;

import io.sagaspring.run.StepFailedException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a body threw, in the words in which it is journaled. Whether it is to be tried again is one of them: when the journal
 * is told again, nothing but words is left of what was thrown.
 */
final class StepFailure extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Words words;
    private final transient Json json;

    /**
     * What is journaled.
     *
     * @param error what happened
     * @param retried whether the policy covers it
     * @param maybe whether the step may have taken effect nevertheless
     */
    record Words(StepError error, boolean retried, boolean maybe) {

        /** Of what failed outside a body of ours, such as the commit of its transaction, only a name and a sentence are known. */
        private static Words of(String text) {
            int end = text.indexOf(':');
            String type = end < 0 ? text : text.substring(0, end);
            String message = end < 0 ? null : text.substring(end + 1).trim();
            return new Words(new StepError(type, message), true, true);
        }
    }

    StepFailure(Words words, Json json, @Nullable Throwable cause) {
        super(words.error().toString(), cause);
        this.words = words;
        this.json = json;
    }

    /** As it is journaled. */
    @Override
    @SuppressWarnings("OverrideThrowableToString") // A journal has what an exception says of itself.
    public String toString() {
        return json.text(words);
    }

    static Words wordsOf(StepFailedException failed, Json json) {
        return wordsOf(failed.why(), json);
    }

    static Words wordsOf(String journaled, Json json) {
        return Optional.of(journaled)
                .filter(why -> why.startsWith("{"))
                .flatMap(why -> json.find(why, Words.class))
                .orElseGet(() -> Words.of(journaled));
    }
}
