package io.sagaspring.janitor;

import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.fence.LogText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rows that one sweep could not free because of an exception, by cause. If many rows fail, they usually have the
 * same cause, which is logged only once.
 */
final class SweepFailures {

    private static final Logger logger = LoggerFactory.getLogger(SweepFailures.class);

    /** The greatest number of causes that are logged separately. */
    static final int CAUSES = 10;

    /** The parts of a message that differ from row to row: numbers, and anything in parentheses or quotes. */
    private static final Pattern DETAILS = Pattern.compile("\\d+|\\([^()]*\\)|\"[^\"]*\"|'[^']*'");

    private final Map<String, Cause> causes = new LinkedHashMap<>();
    private int others;

    private static final class Cause {
        private final ClaimedRow example;
        private final RuntimeException thrown;
        private int rows;

        Cause(ClaimedRow example, RuntimeException thrown) {
            this.example = example;
            this.thrown = thrown;
        }
    }

    void add(ClaimedRow row, RuntimeException thrown) {
        String kind = kind(thrown);
        Cause cause = causes.get(kind);
        if (cause == null && causes.size() < CAUSES) {
            cause = new Cause(row, thrown);
            causes.put(kind, cause);
        }
        if (cause == null) {
            others++;
        } else {
            cause.rows++;
        }
    }

    private static String kind(Throwable thrown) {
        Throwable root = thrown;
        for (int depth = 0; root.getCause() != null && depth < 50; depth++) {
            root = root.getCause();
        }
        String message = String.valueOf(root.getMessage());
        return root.getClass().getName()
                + DETAILS.matcher(message.substring(0, Math.min(message.length(), 500)))
                        .replaceAll("#");
    }

    /** Logs one line and one stack trace for each cause. */
    void report(String module) {
        for (Cause cause : causes.values()) {
            logger.error(
                    "The janitor of module '{}' could not free claims (number: {}) for the reason below, for example {} {} in {}. The next sweep will try again",
                    module,
                    cause.rows,
                    cause.example.entity(),
                    LogText.of(cause.example.id()),
                    cause.example.claimState(),
                    cause.thrown);
        }
        if (others > 0) {
            logger.error(
                    "The janitor of module '{}' could not free further claims (number: {}) for other reasons",
                    module,
                    others);
        }
    }
}
