package io.sagaspring.claim;

/**
 * A transient state that somebody may claim an entity into. Every one that is declared must be covered by the janitor of
 * its module.
 *
 * @param workflow the workflow that declares it, as it shows in messages
 * @param module the module whose janitor frees what a crash leaves behind
 * @param entity the entity
 * @param statusProperty the entity's property that holds the state
 * @param into the claim state
 * @param revertTo where a claim that does not lead to success goes back to
 * @since 0.1.0
 */
public record ClaimState(
        String workflow, String module, Class<?> entity, String statusProperty, String into, String revertTo) {

    /**
     * Refuses what could not be told from an entity that nobody has claimed.
     *
     * @param workflow the workflow that declares it, as it shows in messages
     * @param module the module whose janitor frees what a crash leaves behind
     * @param entity the entity
     * @param statusProperty the entity's property that holds the state
     * @param into the claim state
     * @param revertTo where a claim that does not lead to success goes back to
     */
    public ClaimState {
        if (into.equals(revertTo)) {
            throw new IllegalArgumentException(
                    "Claim state %s of workflow '%s' reverts to itself: a second claim would succeed, too."
                            .formatted(into, workflow));
        }
    }

    @Override
    public String toString() {
        return "claim state %s of workflow '%s' (module '%s', entity %s)"
                .formatted(into, workflow, module, entity.getName());
    }
}
