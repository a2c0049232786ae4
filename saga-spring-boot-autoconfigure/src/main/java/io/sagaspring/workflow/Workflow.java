package io.sagaspring.workflow;

import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.definition.Requester;
import io.sagaspring.definition.StepDefinition;
import io.sagaspring.definition.WorkflowDefinition;
import io.sagaspring.entity.EntityTable;
import java.util.List;
import java.util.Optional;

/**
 * A workflow whose definition has been checked against its entity and beans.
 *
 * @param definition the configured definition
 * @param table the table of its entity
 */
record Workflow(WorkflowDefinition definition, EntityTable table) {

    String name() {
        return definition.name();
    }

    Optional<ClaimState> claimState(StepDefinition step, Requester requester) {
        return step.claimFor(requester).map(this::claimState);
    }

    /** Returns this workflow with the entity's table for the current tenant. */
    Workflow here() {
        EntityTable here = table.here();
        return here == table ? this : new Workflow(definition, here);
    }

    ClaimState claimState(StepDefinition.ClaimPair pair) {
        return new ClaimState(
                name(), definition.module(), table.entity(), definition.statusProperty(), pair.into(), pair.revertTo());
    }

    /** Returns the claim states of all steps and all requesters. */
    List<ClaimState> claimStates() {
        return definition.steps().stream()
                .flatMap(step -> step.claimState().values().stream())
                .map(this::claimState)
                .distinct()
                .toList();
    }

    /** Returns the outcome of a step that does not start from the entity's status. */
    TransitionOutcome notStarted(String status, Requester requester, ClaimService claims) {
        return claims.isClaimState(table, status)
                ? new TransitionOutcome.ClaimFailed(status)
                : new TransitionOutcome.NotApplicable(status, possibleSteps(status, requester));
    }

    /** Returns the keys of the steps that start from a status and that the requester may run. */
    private List<String> possibleSteps(String status, Requester requester) {
        return definition.steps().stream()
                .filter(step -> step.status().equals(status) && step.isOpenTo(requester))
                .map(StepDefinition::key)
                .distinct()
                .toList();
    }
}
