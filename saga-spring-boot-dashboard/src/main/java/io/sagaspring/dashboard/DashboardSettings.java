package io.sagaspring.dashboard;

import io.sagaspring.startup.StartupFaultException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/** The checked settings of the dashboard. */
record DashboardSettings(DashboardAccess access, String path, PayloadVisibility payloads, Duration statementTimeout) {

    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+");
    private static final Duration LEAST = Duration.ofMillis(10);
    private static final Duration MOST = Duration.ofMinutes(1);

    static DashboardSettings of(DashboardProperties properties, Environment environment) {
        List<String> faults = new ArrayList<>();
        if (!PATH.matcher(properties.path()).matches()) {
            faults.add(
                    fault(
                            environment,
                            "saga.dashboard.path",
                            properties.path(),
                            "It must begin with a slash, must not end with one, and may contain letters, digits, '-', '_', '~' and '.', such as /saga or /admin/saga. No segment may begin with a dot."));
        }
        Duration timeout = properties.statementTimeout();
        if (timeout.compareTo(LEAST) < 0 || timeout.compareTo(MOST) > 0) {
            faults.add(fault(
                    environment,
                    "saga.dashboard.statement-timeout",
                    timeout.toMillis() + " ms",
                    "It must be at least 10 ms and at most 1 min."));
        }
        if (!faults.isEmpty()) {
            throw new InvalidDashboardException(faults);
        }
        return new DashboardSettings(properties.access(), properties.path(), properties.payloads(), timeout);
    }

    private static String fault(Environment environment, String property, String value, String reason) {
        return "%s is %s%s. %s".formatted(property, value, origin(environment, property), reason);
    }

    private static String origin(Environment environment, String property) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty found = source.getConfigurationProperty(name);
            if (found != null) {
                return found.getOrigin() == null ? "" : " (%s)".formatted(found.getOrigin());
            }
        }
        return "";
    }

    /** Reports settings of the dashboard that are not allowed. */
    static final class InvalidDashboardException extends StartupFaultException {

        private static final long serialVersionUID = 1L;

        InvalidDashboardException(List<String> faults) {
            super("The dashboard cannot start with these settings", faults, "Correct each value as described above.");
        }
    }
}
