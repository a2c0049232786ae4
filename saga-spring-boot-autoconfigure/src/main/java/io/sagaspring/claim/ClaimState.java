package io.sagaspring.claim;

/**
 * A transient status that an entity has while one caller works on it. Each declared claim state needs the janitor of
 * its module.
 *
 * @param workflow the name of the workflow that declares the claim state, for messages and the ledger
 * @param module the module whose janitor reverts claims after a crash
 * @param entity the entity's class
 * @param statusProperty the entity's property that holds the status
 * @param into the claim state
 * @param revertTo the status from which a claim starts, and to which the entity returns unless the work succeeds
 * @since 0.1.0
 */
public record ClaimState(
        String workflow, String module, Class<?> entity, String statusProperty, String into, String revertTo) {

    /**
     * Checks that the status of a claimed entity differs from the status to which it returns.
     *
     * @param workflow the name of the workflow that declares the claim state, for messages and the ledger
     * @param module the module whose janitor reverts claims after a crash
     * @param entity the entity's class
     * @param statusProperty the entity's property that holds the status
     * @param into the claim state
     * @param revertTo the status from which a claim starts, and to which the entity returns unless the work succeeds
     * @throws IllegalArgumentException if the claim state reverts to itself
     */
    public ClaimState {
        if (into.equals(revertTo)) {
            throw new IllegalArgumentException(
                    "Claim state %s of workflow '%s' reverts to itself, so a second claim would also succeed. Revert to another status."
                            .formatted(into, workflow));
        }
    }

    @Override
    public String toString() {
        return "claim state %s of workflow '%s' (module '%s', entity %s)"
                .formatted(into, workflow, module, entity.getName());
    }
}
