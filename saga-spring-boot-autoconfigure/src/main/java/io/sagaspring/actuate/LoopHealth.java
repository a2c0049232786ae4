package io.sagaspring.actuate;

import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.Loops;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reports background threads of this node that have ended or hang. */
final class LoopHealth implements HealthPart {

    private final Loops loops;

    public LoopHealth(Loops loops) {
        this.loops = loops;
    }

    @Override
    public void report(Map<String, Object> details, List<String> problems) {
        Map<String, String> silent = new TreeMap<>();
        for (Loops.State loop : loops.states()) {
            silent.put(loop.name(), DurationText.of(loop.silentFor()));
            if (loop.gone()) {
                problems.add(
                        "The background thread %s of this node has ended. Restart the node.".formatted(loop.name()));
            } else if (loop.overdue()) {
                problems.add(
                        "The background thread %s of this node has hung for %s. Take a thread dump, and restart the node."
                                .formatted(loop.name(), DurationText.of(loop.silentFor())));
            }
        }
        details.put("loops", silent);
    }
}
