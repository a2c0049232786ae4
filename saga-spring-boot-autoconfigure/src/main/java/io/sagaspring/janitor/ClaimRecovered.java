package io.sagaspring.janitor;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An entity was freed from a claim: by a janitor, because the claim's owner was silent for too long, or by a person.
 * Published after the commit.
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
 * @param releasedBy the person, or null where a janitor freed it
 * @since 0.1.0
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
        Duration age,
        @Nullable String releasedBy) {}
