package io.sagaspring.actuate;

import io.sagaspring.listener.ListenerBacklog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reports deliveries that are parked, that no node begins, or whose listener is missing on this node. */
final class ListenerHealth implements HealthPart {

    private static final Backlogs.Sentences SENTENCES = new Backlogs.Sentences(
            "Deliveries to the durable listener '%s' have been due for %s, and no node has begun them (count: %s). ",
            "Look in the log for attempts that do not end, check saga.listeners.enabled, or raise saga.listeners.concurrency.",
            "This node has no listener with this id. Start a node that has one. If the listener was renamed, give it its old id again. Otherwise, give up the deliveries (DELETE sagadeliveries/{delivery}).");

    private final Survey<ListenerFacts> survey;
    private final Duration overdue;

    /**
     * Creates the health of durable listeners.
     *
     * @param survey the survey that counts the deliveries
     * @param overdue the time for which a delivery may be due before health reports a problem
     */
    public ListenerHealth(Survey<ListenerFacts> survey, Duration overdue) {
        this.survey = survey;
        this.overdue = overdue;
    }

    @Override
    public void report(Map<String, Object> details, List<String> problems) {
        survey.report(problems, facts -> {
            Map<String, Object> parked = new TreeMap<>();
            for (ListenerBacklog each : facts.listeners()) {
                if (each.parked() > 0) {
                    parked.put(each.listener(), each.parked());
                    problems.add(
                            "Parked deliveries to the durable listener '%s': %d. They delay later deliveries with the same keys. Read the errors (GET sagadeliveries), then retry the deliveries or give them up."
                                    .formatted(each.listener(), each.parked()));
                }
            }
            details.put("parkedDeliveries", parked);
            Map<String, Object> due = new TreeMap<>();
            Backlogs.report(facts.due(), overdue, SENTENCES, due, problems);
            details.put("dueDeliveries", due);
        });
    }
}
