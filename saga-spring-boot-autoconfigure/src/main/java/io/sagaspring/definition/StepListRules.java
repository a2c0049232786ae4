package io.sagaspring.definition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the steps of one workflow must satisfy together. */
final class StepListRules {

    private final Faults faults;

    StepListRules(Faults faults) {
        this.faults = faults;
    }

    void judge(WorkflowRead workflow) {
        Map<Integer, StepRead> byId = new HashMap<>();
        Map<List<String>, List<StepRead>> byCall = new HashMap<>();
        for (StepRead step : workflow.steps()) {
            if (step.id() != null) {
                StepRead other = byId.putIfAbsent(step.id(), step);
                if (other != null) {
                    idTwice(step, other);
                }
            }
            if (step.key() != null && step.status() != null) {
                List<String> call = List.of(step.key().text(), step.status().text());
                List<StepRead> earlier = byCall.computeIfAbsent(call, any -> new ArrayList<>());
                oneAnswer(step, earlier, workflow.requesters().texts());
                earlier.add(step);
            }
        }
    }

    private void idTwice(StepRead step, StepRead other) {
        faults.add(
                Rule.STEP_ID_TWICE,
                step.from(),
                "The id %d belongs to %s already. Give each step an id of its own."
                        .formatted(step.id(), Printable.path(other.from().path())));
    }

    private void oneAnswer(StepRead step, List<StepRead> earlier, List<String> requesters) {
        for (StepRead other : earlier) {
            List<String> common = requesters.stream()
                    .filter(requester -> step.isOpenTo(requester) && other.isOpenTo(requester))
                    .limit(10)
                    .map(Printable::quoted)
                    .toList();
            if (!common.isEmpty()) {
                faults.add(
                        Rule.STEP_TWICE,
                        step.from(),
                        "The %s and %s both answer the same key from the same status for %s, so a call would not say which one to"
                                        .formatted(
                                                step.label(),
                                                Printable.path(other.from().path()),
                                                String.join(", ", common))
                                + " run. Change the key or the status of one, or give them different requesters.");
                return;
            }
        }
    }
}
