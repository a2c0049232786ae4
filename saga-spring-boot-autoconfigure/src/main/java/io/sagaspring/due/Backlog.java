package io.sagaspring.due;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The work of one kind that is due and that no node has picked up yet.
 *
 * @param kind the name of the run class or the saga, the kind of background work, or the id of the durable listener
 * @param known true if this node has code for the kind; otherwise this node picks up no work of the kind
 * @param due the number of runs, pieces of background work or deliveries, counted up to 1,000 in each database
 * @param oldest the time since the oldest of these became due
 * @since 0.1.0
 */
public record Backlog(String kind, boolean known, int due, Duration oldest) {

    /**
     * Tells whether the oldest piece has been due for too long.
     *
     * @param longest the time for which work may be due
     * @return true if the oldest piece has been due for at least this time
     */
    public boolean isOverdue(Duration longest) {
        return oldest.compareTo(longest) >= 0;
    }

    /** Joins the backlogs of several databases. */
    static List<Backlog> joined(List<List<Backlog>> ofDatabases) {
        if (ofDatabases.size() == 1) {
            return ofDatabases.get(0);
        }
        Map<String, Backlog> joined = new LinkedHashMap<>();
        ofDatabases.forEach(all -> all.forEach(each -> joined.merge(each.kind(), each, Backlog::plus)));
        return List.copyOf(joined.values());
    }

    private Backlog plus(Backlog other) {
        return new Backlog(kind, known, due + other.due, oldest.compareTo(other.oldest) > 0 ? oldest : other.oldest);
    }
}
