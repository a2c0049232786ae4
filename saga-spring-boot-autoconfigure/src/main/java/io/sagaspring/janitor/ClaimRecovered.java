package io.sagaspring.janitor;

import java.time.Duration;

/**
 * A janitor has freed an entity from a claim whose owner was silent for too long. Published after the commit.
 *
 * @param module the module
 * @param workflow the workflow whose step had claimed it
 * @param entity the entity's table
 * @param id the entity's id
 * @param claimState the state it was stuck in
 * @param status where it is now
 * @param requester on whose behalf it had been claimed
 * @param node the node that had claimed it
 * @param age how long it had been claimed
 */
public record ClaimRecovered(
        String module,
        String workflow,
        String entity,
        String id,
        String claimState,
        String status,
        String requester,
        String node,
        Duration age) {}
