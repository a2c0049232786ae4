package io.sagaspring.actuate;

import io.sagaspring.due.Backlog;
import io.sagaspring.fence.DurationText;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Shows in health what is due and not picked up, and names what has been due for too long. */
final class Backlogs {

    /** No more is counted of one kind. */
    private static final int MANY = 1_000;

    private static final int MOST_SHOWN = 20;

    private Backlogs() {}

    /** Shows all of it, and says what to do about what has been due for too long. */
    static void look(
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
            if (each.oldest().compareTo(longest) >= 0) {
                String count = each.due() >= MANY ? "1,000 or more" : Integer.toString(each.due());
                problems.add(sentences.due().formatted(each.kind(), DurationText.of(each.oldest()), count)
                        + (each.known() ? sentences.toDoIfKnown() : sentences.toDoIfUnknown()));
            }
        }
    }

    /**
     * How a problem is told.
     *
     * @param due takes what it is, for how long, and how many there are
     * @param toDoIfKnown what to do where this node has the code
     * @param toDoIfUnknown what to do where it lacks it
     */
    record Sentences(String due, String toDoIfKnown, String toDoIfUnknown) {}
}
