package io.sagaspring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The address of the dashboard, which may also be served by another application.
 *
 * @param url Absolute address of the dashboard, for links in logs, traces and health details. Without it, there are no links.
 */
@ConfigurationProperties("saga.dashboard")
record DashboardLinkProperties(@Nullable String url) {}
