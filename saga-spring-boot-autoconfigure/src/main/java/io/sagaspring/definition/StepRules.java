package io.sagaspring.definition;

import java.util.stream.Stream;

/** The rules for a single step. */
final class StepRules {

    private final Faults faults;
    private final NamesRead statusTypes;
    private final NamesRead requesters;

    StepRules(Faults faults, WorkflowRead workflow) {
        this.faults = faults;
        this.statusTypes = workflow.statusTypes();
        this.requesters = workflow.requesters();
    }

    void judge(StepRead step) {
        Stream.concat(
                        step.restingStates().stream(),
                        step.claims().values().stream().flatMap(claim -> Stream.of(claim.into(), claim.revertTo())))
                .filter(state -> statusTypes.lacks(state.text()))
                .forEach(this::unknownStatus);
        step.claims().values().forEach(claim -> judge(claim, step));
        if (step.actions().whole() && step.successes().whole()) {
            requesters.texts().forEach(requester -> requireActionWithSuccess(requester, step));
            Stream.of(step.claims(), step.validations(), step.afterEffects())
                    .forEach(entries -> requireRunnableRequesters(entries, step));
        }
    }

    private void unknownStatus(Named state) {
        faults.add(
                Rule.UNKNOWN_STATUS,
                state.from(),
                "State %s is not in 'status-types', which lists %s.%s Correct the name, or list it."
                        .formatted(
                                state.quoted(),
                                statusTypes.listed(),
                                Nearest.question(Nearest.to(state.text(), statusTypes.texts()))));
    }

    /** Checks one claim. A fault that an earlier check has reported is not reported again by a later one. */
    private void judge(ClaimRead claim, StepRead step) {
        String into = claim.into().text();
        String revertTo = claim.revertTo().text();
        boolean intoIsStatus = step.startsFrom(into);
        if (intoIsStatus) {
            faults.add(
                    Rule.CLAIM_IS_STATUS,
                    claim.into().from(),
                    "The claim state %s is also the status from which the %s starts, so a claim would change nothing and protect nothing."
                                    .formatted(claim.into().quoted(), step.label())
                            + " Claim into a different state.");
        }
        if (step.leadsTo(into)) {
            faults.add(
                    Rule.CLAIM_IS_SUCCESS,
                    claim.into().from(),
                    "The claim state %s is also the state to which the %s leads, so work in progress would look like success. Claim into"
                                    .formatted(claim.into().quoted(), step.label())
                            + " a different state.");
        }
        boolean revertsToItself = into.equals(revertTo);
        if (revertsToItself && !intoIsStatus) {
            faults.add(
                    Rule.CLAIM_REVERTS_TO_ITSELF,
                    claim.revertTo().from(),
                    "The claim state %s reverts to itself, so an entity whose step fails would stay claimed forever. Revert to"
                                    .formatted(claim.into().quoted())
                            + " the step's 'status'.");
        }
        if (!revertsToItself && step.status() != null && !step.startsFrom(revertTo)) {
            faults.add(
                    Rule.REVERT_TO_STATUS,
                    claim.revertTo().from(),
                    "The %s runs from %s, but its claim reverts to %s, so a failed step would change the entity's status. Revert to %s."
                            .formatted(
                                    step.label(),
                                    step.status().quoted(),
                                    claim.revertTo().quoted(),
                                    step.status().quoted()));
        }
    }

    private void requireActionWithSuccess(String requester, StepRead step) {
        boolean acts = step.actions().has(requester);
        boolean succeeds = step.successes().has(requester);
        if (acts && !succeeds) {
            faults.add(
                    Rule.ACTION_WITHOUT_SUCCESS,
                    step.from(),
                    "The %s has an 'action' for %s but no 'successful-state', so the entity would have no status after a success. Add one for %s or"
                                    .formatted(step.label(), Printable.quoted(requester), Printable.quoted(requester))
                            + " for 'any'.");
        }
        if (succeeds && !acts) {
            faults.add(
                    Rule.SUCCESS_WITHOUT_ACTION,
                    step.from(),
                    "The %s has a 'successful-state' for %s but no 'action', so it cannot be run. Add one for %s or for 'any'."
                            .formatted(step.label(), Printable.quoted(requester), Printable.quoted(requester)));
        }
    }

    private <T> void requireRunnableRequesters(ByRequester<T> entries, StepRead step) {
        entries.written().forEach((requester, written) -> {
            if (!requester.equals(Requester.ANY)
                    && !step.actions().has(requester)
                    && !step.successes().has(requester)) {
                faults.add(
                        Rule.CANNOT_RUN,
                        written,
                        "This entry is for requester %s, but the %s has no 'action' and no 'successful-state' for that"
                                        .formatted(Printable.quoted(requester), step.label())
                                + " requester. Add both, or remove the entry.");
            }
        });
    }
}
