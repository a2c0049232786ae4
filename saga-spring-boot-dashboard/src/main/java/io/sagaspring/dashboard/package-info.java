/**
 * The dashboard: a page and a JSON API that show what runs, sagas, claims and background work are doing. The invariant:
 * the server checks each request for data, and no request changes anything. Start reading at {@link
 * io.sagaspring.dashboard.DashboardAutoConfiguration}.
 */
@NullMarked
package io.sagaspring.dashboard;

import org.jspecify.annotations.NullMarked;
