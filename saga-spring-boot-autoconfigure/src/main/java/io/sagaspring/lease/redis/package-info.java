/** Leases on Redis, for applications that have one anyway. Start reading at {@link io.sagaspring.lease.redis.RedisLeaseStore}. */
@NullMarked
package io.sagaspring.lease.redis;

import org.jspecify.annotations.NullMarked;
