/**
 * The foundation under everything that may be held by one at a time: a token greater than every earlier one, an expiry
 * that the database's clock decides, a keeper that renews what this node holds, and transactions of our own whose
 * outcome is known even when the connection breaks at the commit. Its background threads are loops that only their stop
 * ends. {@link io.sagaspring.fence.LostAnswers} and {@link io.sagaspring.fence.ForeignCode} have the rules for answers that never
 * came and for the application's code in a transaction. Of this library it uses only the statements of {@code jdbc}. Start reading at
 * {@link io.sagaspring.fence.Keeper}.
 *
 * <p>Apart from {@code ActiveTransactionException}, {@code FencingToken}, {@code HeldLease}, {@code Hold}, {@code OutcomeUnknownException} and
 * {@code RenewableLeases}, its public types are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.fence;

import org.jspecify.annotations.NullMarked;
