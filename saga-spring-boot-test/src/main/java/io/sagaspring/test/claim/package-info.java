/**
 * The contract of every {@link io.sagaspring.entity.ClaimTable}, as tests for developers of an application that
 * describes its tables. If a table passes, no two callers hold a claim on the same row at the same time, and the claim
 * of a crashed owner can be reverted. Start reading at {@link io.sagaspring.test.claim.ClaimTableContract}.
 */
@NullMarked
package io.sagaspring.test.claim;

import org.jspecify.annotations.NullMarked;
