/**
 * Methods that complete even if their process dies: the result of every step is journaled, and a journaled step is not
 * executed again. Each change that the executing node makes to a run is one call of {@link io.sagaspring.run.RunStore},
 * guarded by the fencing token of the run's lease. Applications call {@link io.sagaspring.run.Runs}. The
 * auto-configuration uses {@link io.sagaspring.run.RunEngine}, and a store implements {@link
 * io.sagaspring.run.RunStore}. Start reading at {@link io.sagaspring.run.RunContext}, then {@link
 * io.sagaspring.run.Runs}.
 *
 * <p>Of the public types, {@code CallersWait}, {@code CarriedContext}, {@code FailureText}, {@code Payloads}, {@code RunCatalog},
 * {@code RunEngine}, {@code RunQueues}, {@code StepTransactions}, {@code Timeouts}, {@code TransactionalMethods} and {@code VisibleRuns} are
 * for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.run;

import org.jspecify.annotations.NullMarked;
