/**
 * A statement of each customer's payments. A durable listener books each payment exactly once. Some seconds after the
 * last payment, a run writes the statement. Start reading at {@link io.sagaspring.sample.statements.Bookings}.
 */
@NullMarked
package io.sagaspring.sample.statements;

import org.jspecify.annotations.NullMarked;
