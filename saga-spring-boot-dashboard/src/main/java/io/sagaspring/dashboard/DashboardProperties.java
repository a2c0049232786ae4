package io.sagaspring.dashboard;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings for the dashboard.
 *
 * @param access What the dashboard offers. With none, it does not exist.
 * @param path Path of the dashboard below the application's context path and servlet path.
 * @param payloads How much of inputs, results and signals the dashboard shows.
 * @param statementTimeout Longest time of each database statement that reads data for the dashboard.
 */
@ConfigurationProperties("saga.dashboard")
record DashboardProperties(
        @DefaultValue("none") DashboardAccess access,
        @DefaultValue("/saga") String path,
        @DefaultValue("hidden") PayloadVisibility payloads,
        @DefaultValue("2s") Duration statementTimeout) {}
