package io.sagaspring.definition;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    /**
     * The transient state that protects a step, and the state to return to when the step does not succeed.
     *
     * @param into the claim state
     * @param revertTo where a claim that did not lead to success goes back to
     */
    public record ClaimPair(String into, String revertTo) {

        @Override
        public String toString() {
            return "[%s, %s]".formatted(into, revertTo);
        }
    }

    /**
     * A setting that may differ by requester. The requester's own entry wins over {@code any}.
     *
     * @param entries by the requester's name, or {@code any}
     * @param <T> what is set
     */
    public record PerRequester<T>(Map<String, T> entries) {

        /**
         * The entries, in the order in which they were written.
         *
         * @param entries by the requester's name, or {@code any}
         */
        public PerRequester {
            entries = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(entries));
        }

        static <T> PerRequester<T> none() {
            return new PerRequester<>(Map.of());
        }

        /**
         * What applies to this requester.
         *
         * @param requester who asks
         * @return the requester's own entry, else that of {@code any}, else nothing
         */
        public Optional<T> of(Requester requester) {
            T own = entries.get(requester.name());
            return Optional.ofNullable(own != null ? own : entries.get(Requester.ANY));
        }

        /**
         * Every value that some requester may meet.
         *
         * @return the values, in the order in which they were written
         */
        public Collection<T> values() {
            return entries.values();
        }
    }
}
