/**
 * The contract of every store of runs, in the form of tests for developers of a store, and a store in memory for tests.
 * A store that passes the contract never gives a run two owners, and never loses a write that it has acknowledged. The
 * store in memory uses only the public API of {@link io.sagaspring.run}. Start reading at
 * {@link io.sagaspring.test.run.RunStoreContract}; {@link io.sagaspring.test.run.MemoryRunStore} is an example of a
 * store.
 */
@NullMarked
package io.sagaspring.test.run;

import org.jspecify.annotations.NullMarked;
