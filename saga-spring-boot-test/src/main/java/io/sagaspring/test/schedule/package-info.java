/**
 * The contract of stores of schedules, for developers of a store, and a store in memory for tests. Both use only the
 * public API of {@link io.sagaspring.schedule}.
 */
@NullMarked
package io.sagaspring.test.schedule;

import org.jspecify.annotations.NullMarked;
