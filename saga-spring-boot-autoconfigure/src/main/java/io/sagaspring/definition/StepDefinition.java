package io.sagaspring.definition;

import java.util.Optional;

/**
 * One step of a workflow: from which state it may run, what it does, and where it leads.
 *
 * @param id the number by which people refer to it
 * @param key the name by which callers run it
 * @param status the state from which it may run
 * @param claimState the transient state that protects it; a requester without one does not claim
 * @param successfulState where it leads
 * @param validation the bean that may object before the action runs
 * @param action the bean that does the work
 * @param successAfterEffect the bean that follows once the success is committed
 */
public record StepDefinition(
        int id,
        String key,
        String status,
        PerRequester<ClaimPair> claimState,
        PerRequester<String> successfulState,
        PerRequester<String> validation,
        PerRequester<String> action,
        PerRequester<String> successAfterEffect) {

    /**
     * Whether this requester may run the step at all.
     *
     * @param requester who asks
     * @return whether there is somewhere for the step to lead
     */
    public boolean isOpenTo(Requester requester) {
        return successfulState.of(requester).isPresent();
    }

    /**
     * The claim that protects the step when this requester runs it.
     *
     * @param requester who asks
     * @return the claim state and where it reverts to, or nothing where the step runs unclaimed
     */
    public Optional<ClaimPair> claimFor(Requester requester) {
        return claimState.of(requester);
    }
}
