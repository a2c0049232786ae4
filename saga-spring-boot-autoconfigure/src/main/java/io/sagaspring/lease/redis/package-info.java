/**
 * Leases on Redis, for applications that already use Redis. Start reading at {@link
 * io.sagaspring.lease.redis.RedisLeaseStore}.
 *
 * <p>The package's public type is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.lease.redis;

import org.jspecify.annotations.NullMarked;
