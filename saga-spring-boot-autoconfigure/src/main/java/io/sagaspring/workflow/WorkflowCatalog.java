package io.sagaspring.workflow;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** The workflows of the application, by name. */
final class WorkflowCatalog {

    private final Map<String, Workflow> byName = new LinkedHashMap<>();

    WorkflowCatalog(Collection<Workflow> workflows) {
        workflows.forEach(workflow -> byName.put(workflow.name(), workflow));
    }

    Workflow require(String name) {
        Workflow found = byName.get(name);
        if (found == null) {
            throw new UnknownException.Workflow(name, byName.keySet());
        }
        return found;
    }

    Collection<Workflow> all() {
        return byName.values();
    }
}
