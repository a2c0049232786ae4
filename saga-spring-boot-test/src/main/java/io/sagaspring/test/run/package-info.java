/**
 * The contract of every store of runs, as tests for whoever writes one, and a store in memory for tests. A store that passes the
 * contract never has two drivers of a run, and loses nothing that it said it had. The store in memory uses nothing but what is
 * public in {@link io.sagaspring.run}. Start reading at {@link io.sagaspring.test.run.RunStoreContract}; {@link
 * io.sagaspring.test.run.MemoryRunStore} is an example of a store.
 */
@NullMarked
package io.sagaspring.test.run;

import org.jspecify.annotations.NullMarked;
