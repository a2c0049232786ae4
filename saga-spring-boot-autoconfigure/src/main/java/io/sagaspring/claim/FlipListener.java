package io.sagaspring.claim;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A listener that writes in the transaction of a flip, for example to an audit table. Declare it as a bean. The
 * listener is called for the flips that bypass JPA: the claim, its release or completion through {@link ClaimService},
 * and the revert by a janitor or an operator. This listener is also called for the final flip of a step if JPA does not
 * map the entity, or if the step needs only the entity's id. Otherwise JPA writes that flip, and JPA's entity listeners
 * are called instead.
 *
 * <p>Rules for the code of a listener:
 *
 * <ul>
 *   <li>Use only the given connection. Code that uses another connection may wait for the entity's row lock forever. Do
 *       not call JPA or the library. The library refuses calls from a listener.
 *   <li>Be short. The entity is locked until the listener returns, and every caller that wants the claim waits.
 *   <li>An exception rolls the flip back. The claim is not granted, or not ended. A janitor tries again with its next
 *       sweep.
 *   <li>Do not expect exactly one call per flip. If the database rolls the flip back, the next attempt calls the
 *       listener again. The writes on the connection are committed with the flip, or not at all.
 * </ul>
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface FlipListener {

    /**
     * Handles a flip. This method is called after the statements of the flip and before their commit.
     *
     * @param flip the flip
     * @param connection the connection of the flip's transaction, which is valid only during the call
     * @throws SQLException if a statement of the listener fails; the caller gets the exception as a {@code
     *     DataAccessException}
     */
    void flipped(Flip flip, Connection connection) throws SQLException;
}
