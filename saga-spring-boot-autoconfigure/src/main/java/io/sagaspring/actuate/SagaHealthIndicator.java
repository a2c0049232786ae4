package io.sagaspring.actuate;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Reports problems that need a person. If {@code problems} is not empty, the status is {@code DEGRADED}, which is
 * visible but takes no node out of service. Most problems are the same on every node. A response of 503 would take all
 * nodes out of service at once, and solve nothing.
 */
final class SagaHealthIndicator implements HealthIndicator {

    /** The status if there are problems. Requests are served as before. */
    public static final Status DEGRADED = new Status("DEGRADED", "Saga reports problems that a person must solve");

    private final List<HealthPart> parts;

    /**
     * Creates an indicator.
     *
     * @param parts the parts, in the order of their details
     */
    public SagaHealthIndicator(Collection<HealthPart> parts) {
        this.parts = List.copyOf(parts);
    }

    @Override
    public Health health() {
        Map<String, Object> details = new LinkedHashMap<>();
        List<String> problems = new ArrayList<>();
        parts.forEach(part -> part.report(details, problems));
        Health.Builder health = problems.isEmpty() ? Health.up() : Health.status(DEGRADED);
        return health.withDetails(details).withDetail("problems", problems).build();
    }
}
