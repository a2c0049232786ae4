package io.sagaspring.saga;

import io.sagaspring.run.FailureText;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The exception of a step, made of the lines that the journal has of it. It prints as the exception did, also on a node that has never
 * had that.
 */
final class JournaledCause extends Exception {

    private static final long serialVersionUID = 1L;

    /** So that a journal entry, with its longest message, can be stored as a whole. */
    private static final int LONGEST = 1_400;

    private static final Pattern FRAME = Pattern.compile("(.+)\\.([^.(]+)\\(([^:)]*)(?::(\\d+))?\\)");

    private final String words;

    private JournaledCause(String words, List<StackTraceElement> frames, @Nullable JournaledCause cause) {
        super(words, cause);
        this.words = words;
        setStackTrace(frames.toArray(StackTraceElement[]::new));
    }

    static List<String> linesOf(Throwable failure) {
        // In JSON a line is as long as it is.
        return FailureText.lines(failure, LONGEST).stream()
                .map(line -> line.replaceAll("[\\p{Cntrl}\"\\\\]", " "))
                .toList();
    }

    /** Null where the journal has nothing of it, as of what a callback said. */
    static @Nullable JournaledCause of(StepError error, List<String> lines) {
        return lines.isEmpty() ? null : of(error.toString(), lines);
    }

    private static JournaledCause of(String words, List<String> lines) {
        List<StackTraceElement> frames = new ArrayList<>();
        for (int index = 0; index < lines.size(); index++) {
            String line = lines.get(index);
            if (line.startsWith(FailureText.CAUSED_BY)) {
                String ofCause = line.substring(FailureText.CAUSED_BY.length());
                return new JournaledCause(words, frames, of(ofCause, lines.subList(index + 1, lines.size())));
            }
            Matcher frame = FRAME.matcher(line);
            if (frame.matches()) {
                String digits = frame.group(4);
                int number = digits == null ? -1 : Integer.parseInt(digits);
                frames.add(new StackTraceElement(frame.group(1), frame.group(2), frame.group(3), number));
            }
        }
        return new JournaledCause(words, frames, null);
    }

    /** As the exception was called, and not this one. */
    @Override
    @SuppressWarnings("OverrideThrowableToString") // It stands for an exception of another class.
    public String toString() {
        return words;
    }
}
