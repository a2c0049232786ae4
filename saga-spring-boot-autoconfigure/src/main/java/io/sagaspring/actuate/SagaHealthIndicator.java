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
 * Says whether a person should look. What is wrong is named in {@code problems}, and the status is then
 * {@code DEGRADED}: it shows, and it takes no node out of service. Nearly all it reports is the same on every node, so
 * that an answer of 503 would take away all of them at once, and help nobody.
 */
final class SagaHealthIndicator implements HealthIndicator {

    /** Something needs a look, and requests are served as before. */
    public static final Status DEGRADED = new Status("DEGRADED", "Somebody should look at what saga does");

    private final List<HealthPart> parts;

    /**
     * An indicator over what this node and the database know.
     *
     * @param parts what it looks after, in this order
     */
    public SagaHealthIndicator(Collection<HealthPart> parts) {
        this.parts = List.copyOf(parts);
    }

    @Override
    public Health health() {
        Map<String, Object> details = new LinkedHashMap<>();
        List<String> problems = new ArrayList<>();
        parts.forEach(part -> part.look(details, problems));
        Health.Builder health = problems.isEmpty() ? Health.up() : Health.status(DEGRADED);
        return health.withDetails(details).withDetail("problems", problems).build();
    }
}
