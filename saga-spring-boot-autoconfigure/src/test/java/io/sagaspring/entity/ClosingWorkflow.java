package io.sagaspring.entity;

import java.util.List;

/** The settings of a workflow with one step, which claims an entity and closes it. */
record ClosingWorkflow(String name, String module, Class<?> entity, String property, String claimState) {

    static ClosingWorkflow of(Class<?> entity, String module) {
        return new ClosingWorkflow(nameOf(entity), module, entity, "status", "CLOSING");
    }

    static String nameOf(Class<?> entity) {
        return entity.getSimpleName().toLowerCase(java.util.Locale.ROOT);
    }

    List<String> settings() {
        String path = "saga.workflows.%s.".formatted(name);
        return List.of(
                path + "module=" + module,
                path + "entity=" + entity.getName(),
                path + "status-property=" + property,
                path + "status-types=OPEN,CLOSED," + claimState,
                path + "requesters=admin,system",
                path + "steps[0].step-id=1",
                path + "steps[0].step-key=close",
                path + "steps[0].status=OPEN",
                path + "steps[0].claim-state.admin=%s,OPEN".formatted(claimState),
                path + "steps[0].successful-state.any=CLOSED",
                path + "steps[0].action.any=closeAnything");
    }
}
