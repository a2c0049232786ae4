package io.sagaspring.definition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The rules that concern several steps of one workflow. */
final class StepListRules {

    private final Faults faults;

    StepListRules(Faults faults) {
        this.faults = faults;
    }

    void judge(WorkflowRead workflow) {
        Map<Integer, StepRead> byId = new HashMap<>();
        Map<List<String>, StepRead> byCall = new HashMap<>();
        for (StepRead step : workflow.steps()) {
            if (step.id() != null) {
                StepRead other = byId.putIfAbsent(step.id(), step);
                if (other != null) {
                    idTwice(step, other);
                }
            }
            if (step.key() != null && step.status() != null) {
                oneAnswer(step, step.key().text(), step.status().text(), workflow.requesters(), byCall);
            }
        }
    }

    private void idTwice(StepRead step, StepRead other) {
        faults.add(
                Rule.STEP_ID_TWICE,
                step.from(),
                "The id %d already belongs to %s. Give each step its own id. The id of a step without 'step-id' is ten times its position."
                        .formatted(step.id(), other.from().path()));
    }

    private void oneAnswer(
            StepRead step, String key, String status, NamesRead requesters, Map<List<String>, StepRead> byCall) {
        StepRead other = null;
        List<String> common = new ArrayList<>();
        for (String requester : requesters.texts()) {
            StepRead first =
                    step.isOpenTo(requester) ? byCall.putIfAbsent(List.of(key, status, requester), step) : null;
            if (first != null) {
                other = first;
                common.add(Printable.quoted(requester));
            }
        }
        if (other != null) {
            faults.add(
                    Rule.STEP_TWICE,
                    step.from(),
                    "The %s and %s have the same key and the same status for %s, so a call could not select the step to"
                                    .formatted(step.label(), other.from().path(), String.join(", ", common))
                            + " run. Change the key or the status of one, or give them different requesters.");
        }
    }
}
