package io.sagaspring.actuate;

import io.sagaspring.database.Databases;
import io.sagaspring.fence.LogText;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reports for each tenant with a database of its own whether the database can be used now. Adds nothing if there are no
 * such tenants.
 */
final class DatabaseHealth implements HealthPart {

    private final Databases databases;

    public DatabaseHealth(Databases databases) {
        this.databases = databases;
    }

    @Override
    public void report(Map<String, Object> details, List<String> problems) {
        Map<String, String> shown = new TreeMap<>();
        databases.all().stream().flatMap(each -> each.tenants().stream()).forEach(tenant -> shown.put(tenant, "up"));
        databases.troubles().forEach((tenant, trouble) -> {
            shown.put(tenant, "down");
            problems.add("The database of tenant '%s' cannot be used: %s".formatted(LogText.of(tenant), trouble));
        });
        if (!shown.isEmpty()) {
            details.put("databases", shown);
        }
    }
}
