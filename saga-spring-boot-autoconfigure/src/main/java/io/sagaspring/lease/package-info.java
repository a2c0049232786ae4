/**
 * One holder at a time for a name, with a token that grows at every change of hands, so that a sink can refuse who was
 * asleep meanwhile. Start reading at {@link io.sagaspring.lease.LeaseManager}; what a store has to do stands in {@link
 * io.sagaspring.lease.LeaseStore}.
 *
 * <p>Of its public types, {@code MemoryLeaseStore} and {@code PostgresLeaseStore} are for the library's other packages
 * only, and may change at any time.
 */
@NullMarked
package io.sagaspring.lease;

import org.jspecify.annotations.NullMarked;
