/**
 * Methods that finish although their process dies: every result is journaled, and what is journaled is not done again.
 * Every change of a run is one call of {@link io.sagaspring.run.RunStore}, guarded by the token of who drives it. Start
 * reading at {@link io.sagaspring.run.RunContext}, then {@link io.sagaspring.run.Runs}.
 */
@NullMarked
package io.sagaspring.run;

import org.jspecify.annotations.NullMarked;
