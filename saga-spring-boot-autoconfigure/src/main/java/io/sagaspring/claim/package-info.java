/**
 * Claims. One commit flips an entity into a claim state and writes a row to the ledger. Only the owner of the row's
 * token may complete or release the claim. Workflows claim entities for their steps. A module that claims its entities
 * without a workflow uses {@link io.sagaspring.claim.ClaimService} directly. Start reading there.
 *
 * <p>Of the public types of this package, {@code ClaimLedger}, {@code ClaimRecovery} and {@code DeclaredClaimStates}
 * are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.claim;

import org.jspecify.annotations.NullMarked;
