package io.sagaspring.definition;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One step of a workflow: the state from which it runs, its action, and the state to which it leads.
 *
 * @param id the number of the step, for display only
 * @param key the name by which callers run the step
 * @param status the status from which the step starts
 * @param claimState the claim state and the state to revert to; a requester to whom no entry applies does not claim
 * @param successfulState the state after the step has succeeded
 * @param validation the bean that can reject the step before the action runs
 * @param action the bean that does the work
 * @param successAfterEffect the bean that is called after the success is committed
 * @since 0.1.0
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
     * Returns every state that the step names.
     *
     * @return the states; a state that the step names twice is returned twice
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
     * Returns true if this requester may run the step.
     *
     * @param requester the requester
     * @return true if the step has a successful state for the requester
     */
    public boolean isOpenTo(Requester requester) {
        return successfulState.of(requester).isPresent();
    }

    /**
     * Returns the claim that protects the step when this requester runs it.
     *
     * @param requester the requester
     * @return the claim state and the state to revert to, or empty if the step runs without a claim
     */
    public Optional<ClaimPair> claimFor(Requester requester) {
        return claimState.of(requester);
    }

    /**
     * The claim state that protects a step, and the state to return to if the step does not succeed.
     *
     * @param into the claim state
     * @param revertTo the state to which the entity returns if the step does not succeed
     */
    public record ClaimPair(String into, String revertTo) {

        @Override
        public String toString() {
            return "[%s, %s]".formatted(into, revertTo);
        }
    }

    /**
     * A setting that may differ by requester. The requester's own entry takes precedence over {@code any}.
     *
     * @param entries the values by the requester's name, or by {@code any}
     * @param <T> the type of the values
     */
    public record PerRequester<T>(Map<String, T> entries) {

        /**
         * Copies the entries and keeps their order.
         *
         * @param entries the values by the requester's name, or by {@code any}
         */
        public PerRequester {
            entries = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(entries));
        }

        static <T> PerRequester<T> none() {
            return new PerRequester<>(Map.of());
        }

        /**
         * Returns the value for a requester.
         *
         * @param requester the requester
         * @return the requester's own entry, else the entry of {@code any}, else empty
         */
        public Optional<T> of(Requester requester) {
            T own = entries.get(requester.name());
            return Optional.ofNullable(own != null ? own : entries.get(Requester.ANY));
        }

        /**
         * Returns the values for all requesters.
         *
         * @return the values in the order of the configuration
         */
        public Collection<T> values() {
            return entries.values();
        }
    }
}
