package io.sagaspring.saga;

import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.ResultNotStoredException;
import io.sagaspring.run.StepFailedException;
import java.util.List;
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
     * @param trace the application's frames, and the causes with theirs
     */
    record Words(
            StepError error,
            boolean retried,
            boolean maybe,
            @Nullable List<String> trace) {

        Words(StepError error, boolean retried, boolean maybe) {
            this(error, retried, maybe, null);
        }

        List<String> lines() {
            return trace == null ? List.of() : trace;
        }

        @Nullable
        JournaledCause cause() {
            return JournaledCause.of(error, lines());
        }

        /** Of what failed outside a body of ours, such as the commit of its transaction, only a name and a sentence are known. */
        private static Words of(String text) {
            int end = text.indexOf(':');
            String type = end < 0 ? text : text.substring(0, end);
            String message = end < 0 ? null : text.substring(end + 1).trim();
            if (type.equals(ResultNotStoredException.class.getName())) {
                return new Words(new StepError(StepError.CONTEXT, message), false, true);
            }
            // What cannot be stored cannot be stored by the next attempt either. It was rolled back, or never begun.
            boolean isPayload = type.equals(PayloadException.class.getName());
            return new Words(new StepError(type, message), !isPayload, !isPayload);
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
