/**
 * What a person can do to runs, claims, background work, deliveries, queues, schedules, janitors, leases and keys. Actuator endpoints and Java
 * code call the same operations. Each operation is audited, including those that are refused. Applications call {@link
 * io.sagaspring.operations.RunOperations} and the classes beside it, and read {@link io.sagaspring.operations.AuditLog}.
 * Start reading at {@link io.sagaspring.operations.RunOperations}, then {@code Audit}.
 *
 * <p>Of the public types, {@code Audit}, {@code AuditTable} and {@code RunDetails} are for the library's other packages only,
 * and may change at any time.
 */
@NullMarked
package io.sagaspring.operations;

import org.jspecify.annotations.NullMarked;
