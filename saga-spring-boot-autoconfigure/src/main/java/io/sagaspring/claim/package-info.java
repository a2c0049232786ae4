/**
 * Claims: an entity is flipped into a transient state and a row is written to the ledger, both in one commit; whoever
 * holds the row's token may complete or release it, and nobody else. Workflows do this for their steps; a module that
 * drives its own states uses {@link io.sagaspring.claim.ClaimService} directly. Start reading there.
 *
 * <p>Of its public types, {@code ClaimLedger}, {@code ClaimRecovery} and {@code DeclaredClaimStates} are for the library's
 * other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.claim;

import org.jspecify.annotations.NullMarked;
