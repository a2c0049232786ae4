package io.sagaspring.actuate;

import io.sagaspring.fence.DurationText;
import io.sagaspring.run.QueueDepth;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Reports a queue in which a run has waited too long, if the application does not declare the queue or if the queue has
 * free permits. A declared queue that is paused, or that has limits per key or for starts, is not reported, because its
 * runs may wait although there are free permits.
 */
final class QueueHealth implements HealthPart {

    private final Survey<RunFacts> survey;
    private final Duration overdue;
    private final Supplier<Set<String>> names;

    /**
     * Creates the health of queues.
     *
     * @param survey the survey that queries the queues in the database
     * @param overdue the time for which a run may wait before health reports a problem
     * @param names the supplier of the names of the queues that the application declares
     */
    public QueueHealth(Survey<RunFacts> survey, Duration overdue, Supplier<Set<String>> names) {
        this.survey = survey;
        this.overdue = overdue;
        this.names = names;
    }

    @Override
    public void report(Map<String, Object> details, List<String> problems) {
        Set<String> known = names.get();
        if (known.isEmpty()) {
            return;
        }
        survey.report(problems, facts -> {
            Map<String, Object> shown = new TreeMap<>();
            for (QueueDepth each : facts.queues()) {
                shown.put(each.queue(), details(each, known));
                report(each, known, problems);
            }
            details.put("queues", shown);
        });
    }

    private static Map<String, Object> details(QueueDepth queue, Set<String> known) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("known", known.contains(queue.queue()));
        details.put("executing", queue.inUse());
        details.put("waiting", queue.waiting());
        details.put("paused", queue.isPaused());
        return details;
    }

    private void report(QueueDepth queue, Set<String> known, List<String> problems) {
        boolean isKnown = known.contains(queue.queue());
        if (!queue.isOverdue(overdue, isKnown)) {
            return;
        }
        if (!isKnown) {
            problems.add(
                    "Runs wait in the queue '%s' (count: %d), the first of them for %s, but this application does not declare the queue. Declare a RunQueue bean or saga.runs.queues.%s."
                            .formatted(queue.queue(), queue.waiting(), DurationText.of(queue.oldest()), queue.queue()));
        } else {
            problems.add(
                    "Runs wait in the queue '%s' (count: %d), the first of them for %s, although the queue has free permits. Raise saga.runs.queue-concurrency, or start a node that has the code of the runs."
                            .formatted(queue.queue(), queue.waiting(), DurationText.of(queue.oldest())));
        }
    }
}
