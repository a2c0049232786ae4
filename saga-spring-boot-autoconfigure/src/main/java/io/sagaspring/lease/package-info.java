/**
 * One holder at a time for a name, with a token that grows at every change of hands, so that a sink can refuse who was
 * asleep meanwhile. Start reading at {@link io.sagaspring.lease.LeaseManager}; what a store has to do stands in {@link
 * io.sagaspring.lease.LeaseStore}.
 */
@NullMarked
package io.sagaspring.lease;

import org.jspecify.annotations.NullMarked;
