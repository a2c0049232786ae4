package io.sagaspring.workflow;

import io.sagaspring.definition.Requester;
import io.sagaspring.fence.FencingToken;
import java.util.Optional;

/**
 * What a step's beans may know of the run they are part of.
 *
 * @since 0.1.0
 */
public interface ActionContext {

    /**
     * The workflow.
     *
     * @return its name
     */
    String workflow();

    /**
     * The step.
     *
     * @return its key
     */
    String step();

    /**
     * On whose behalf the step runs.
     *
     * @return the requester
     */
    Requester requester();

    /**
     * What the caller gave along.
     *
     * @param type what it is expected to be
     * @param <T> what it is expected to be
     * @return the input
     * @throws IllegalArgumentException if the caller gave none, or something else
     */
    <T> T input(Class<T> type);

    /**
     * The claim's token, for writes to systems that refuse an older one than they have seen.
     *
     * @return the token, or nothing where the step runs unclaimed
     */
    Optional<FencingToken> token();
}
