/**
 * The dashboard: a page and a JSON API that show runs, sagas, claims, background work, leases and keys. The invariants:
 * the server checks each request for data. Only the one address for operations changes anything, and each of its
 * operations passes through the beans of {@link io.sagaspring.operations}. Start reading at {@link
 * io.sagaspring.dashboard.DashboardAutoConfiguration}.
 */
@NullMarked
package io.sagaspring.dashboard;

import org.jspecify.annotations.NullMarked;
