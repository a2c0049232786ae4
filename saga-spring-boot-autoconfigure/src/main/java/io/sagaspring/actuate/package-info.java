/**
 * Meters, health and Actuator endpoints for operators. They cover claims, background work, runs, queues, sagas,
 * schedules, durable listeners, keys and leases. This package makes no decisions of its own, and must not slow down or
 * break what it reports on. Start reading at {@link io.sagaspring.actuate.SagaHealthIndicator} and {@link
 * io.sagaspring.actuate.ClaimsEndpoint}.
 *
 * <p>The public types of this package are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.actuate;

import org.jspecify.annotations.NullMarked;
