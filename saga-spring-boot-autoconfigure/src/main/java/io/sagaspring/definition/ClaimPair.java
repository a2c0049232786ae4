package io.sagaspring.definition;

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
