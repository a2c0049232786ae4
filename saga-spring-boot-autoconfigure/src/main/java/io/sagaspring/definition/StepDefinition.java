package io.sagaspring.definition;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

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
     * Every state that the step names.
     *
     * @return each as often as it is named
     */
    public List<String> states() {
        return Stream.of(
                        Stream.of(status),
                        claimState.values().stream().flatMap(claim -> Stream.of(claim.into(), claim.revertTo())),
                        successfulState.values().stream())
                .flatMap(each -> each)
                .toList();
    }

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
