package io.sagaspring.actuate;

import io.sagaspring.due.Backlog;
import io.sagaspring.fence.DurationText;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Adds to the health details the due runs, deliveries or background work that no node has picked up. Reports a problem
 * if such work has been due for too long.
 */
final class Backlogs {

    /** The number up to which the due work of each kind is counted. */
    private static final int MANY = 1_000;

    private static final int MOST_SHOWN = 20;

    private Backlogs() {}

    /**
     * Adds up to 20 kinds of due work to the details. Adds a problem for each kind whose oldest piece has been due for
     * too long.
     */
    static void report(
            List<Backlog> backlog,
            Duration longest,
            Sentences sentences,
            Map<String, Object> shown,
            List<String> problems) {
        for (Backlog each : backlog.stream().limit(MOST_SHOWN).toList()) {
            Map<String, Object> kind = new LinkedHashMap<>();
            kind.put("due", each.due());
            kind.put("oldest", DurationText.of(each.oldest()));
            kind.put("known", each.known());
            shown.put(each.kind(), kind);
        }
        for (Backlog each : backlog) {
            if (each.isOverdue(longest)) {
                String count = each.due() >= MANY ? "1,000 or more" : Integer.toString(each.due());
                problems.add(sentences.due().formatted(each.kind(), DurationText.of(each.oldest()), count)
                        + (each.known() ? sentences.toDoIfKnown() : sentences.toDoIfUnknown()));
            }
        }
    }

    /**
     * The sentences that describe a problem.
     *
     * @param due the format of the problem; its arguments are the kind, the time that the oldest piece has been due,
     *     and the number of due pieces
     * @param toDoIfKnown the remedy if this node has the code
     * @param toDoIfUnknown the remedy if this node lacks the code
     */
    record Sentences(String due, String toDoIfKnown, String toDoIfUnknown) {}
}
