/**
 * Leases: a name has at most one owner at a time, and a fencing token that increases with each acquisition. With the
 * token, the system that receives the writes can reject those of a previous owner that was paused. Start reading at
 * {@link io.sagaspring.lease.LeaseManager}. {@link io.sagaspring.lease.LeaseStore} describes the contract of a store.
 */
@NullMarked
package io.sagaspring.lease;

import org.jspecify.annotations.NullMarked;
