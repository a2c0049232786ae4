package io.sagaspring.saga;

import io.sagaspring.run.FailureText;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The exception of a step, restored from its lines in the journal. This exception prints like the original one, even on
 * a node that never had the original.
 */
final class JournaledCause extends Exception {

    private static final long serialVersionUID = 1L;

    /**
     * The maximum length of the lines. With this limit, a journal entry with the longest possible message is not
     * truncated.
     */
    private static final int LONGEST = 1_400;

    private static final Pattern FRAME = Pattern.compile("(.+)\\.([^.(]+)\\(([^:)]*)(?::(\\d+))?\\)");

    private final String text;

    private JournaledCause(String text, List<StackTraceElement> frames, @Nullable JournaledCause cause) {
        super(text, cause);
        this.text = text;
        setStackTrace(frames.toArray(StackTraceElement[]::new));
    }

    static List<String> linesOf(Throwable failure) {
        // JSON escapes nothing but these characters, so without them a line keeps its length.
        return FailureText.lines(failure, LONGEST).stream()
                .map(line -> line.replaceAll("[\\p{Cntrl}\"\\\\]", " "))
                .toList();
    }

    /**
     * Returns the exception, or null if the journal contains no lines for it, for example for an error from a callback.
     */
    static @Nullable JournaledCause of(StepError error, List<String> lines) {
        return lines.isEmpty() ? null : of(error.toString(), lines);
    }

    private static JournaledCause of(String text, List<String> lines) {
        List<StackTraceElement> frames = new ArrayList<>();
        for (int index = 0; index < lines.size(); index++) {
            String line = lines.get(index);
            if (line.startsWith(FailureText.CAUSED_BY)) {
                String ofCause = line.substring(FailureText.CAUSED_BY.length());
                return new JournaledCause(text, frames, of(ofCause, lines.subList(index + 1, lines.size())));
            }
            Matcher frame = FRAME.matcher(line);
            if (frame.matches()) {
                String digits = frame.group(4);
                int number = digits == null ? -1 : Integer.parseInt(digits);
                frames.add(new StackTraceElement(frame.group(1), frame.group(2), frame.group(3), number));
            }
        }
        return new JournaledCause(text, frames, null);
    }

    /** Returns the text of the original exception. */
    @Override
    @SuppressWarnings("OverrideThrowableToString") // This exception stands for an exception of another class.
    public String toString() {
        return text;
    }
}
