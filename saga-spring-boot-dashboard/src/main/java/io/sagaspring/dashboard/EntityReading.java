package io.sagaspring.dashboard;

import io.sagaspring.entity.NoSuchIdException;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.workflow.EntityPlace;
import io.sagaspring.workflow.UnknownException;
import io.sagaspring.workflow.Workflows;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the place of one entity in its workflow. All other columns of the entity are left out. */
final class EntityReading {

    static final Set<String> PARAMETERS = Set.of("workflow", "id", "tenant");

    private final DashboardSources sources;

    EntityReading(DashboardSources sources) {
        this.sources = sources;
    }

    /** The place of an entity. */
    record Place(String workflow, String id, String status, long version, ListReading.@Nullable ClaimItem claim) {}

    @Nullable
    Object find(DashboardQuery query) {
        Workflows workflows = sources.find(Workflows.class);
        if (workflows == null) {
            return null;
        }
        String workflow = required(query, "workflow", "Use the name of a workflow.");
        String id = required(query, "id", "Use the id of an entity.");
        try {
            return found(workflows, workflow, id, query)
                    .map(place -> new Place(
                            workflow,
                            place.id(),
                            place.status(),
                            place.version(),
                            place.claim() == null
                                    ? null
                                    : new ListReading.ClaimItem(place.claim(), query.offered("claim.release"))))
                    .orElseThrow(() -> ProblemException.notFound("There is no entity with this id."));
        } catch (UnknownException unknown) {
            throw ProblemException.notFound(String.valueOf(unknown.getMessage()));
        } catch (NoSuchIdException unreadable) {
            throw ProblemException.badRequest(String.valueOf(unreadable.getMessage()));
        }
    }

    private Optional<EntityPlace> found(Workflows workflows, String workflow, String id, DashboardQuery query) {
        Tenants tenants = sources.find(Tenants.class);
        String tenant = query.text("tenant");
        if (tenants == null || tenants.areNone()) {
            return workflows.place(workflow, id);
        }
        if (tenant == null) {
            throw ProblemException.badRequest(
                    "The parameter 'tenant' is missing. Use the tenant of the entity, or an empty value if it has none.");
        }
        if (tenant.isEmpty()) {
            return tenants.in(null, () -> workflows.place(workflow, id));
        }
        // The application's context must get only names of its own, because it may put them into an SQL statement.
        if (!tenants.all().contains(tenant)) {
            throw ProblemException.notFound("The application has no such tenant.");
        }
        return tenants.in(tenant, () -> workflows.place(workflow, id));
    }

    private static String required(DashboardQuery query, String name, String remedy) {
        String value = query.nonEmpty(name);
        if (value == null) {
            throw ProblemException.badRequest("The parameter '%s' is missing. %s".formatted(name, remedy));
        }
        return value;
    }
}
