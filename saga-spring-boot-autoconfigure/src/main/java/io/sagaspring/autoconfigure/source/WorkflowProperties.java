package io.sagaspring.autoconfigure.source;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Tells an IDE which keys there are. Never bound: binding would stop at the first wrong shape, take a typo for an absent
 * key, and know no lines. What is written is read by {@link WorkflowSources}.
 *
 * @param workflows Workflows by their names.
 * @param workflowLocations Folders whose JSON and YAML files hold one workflow each.
 */
@ConfigurationProperties("saga")
record WorkflowProperties(
        @Nullable Map<String, Workflow> workflows,
        @DefaultValue("classpath*:/workflows/") List<String> workflowLocations) {

    /**
     * A workflow.
     *
     * @param module Module that owns the entity and whose janitor covers every claim state.
     * @param entity Class name of the JPA entity.
     * @param statusProperty Property of the entity that holds the state.
     * @param statusTypes Every state there is. The constants of the enum that holds the status, when not set.
     * @param requesters Everybody who may run a step. Those that the steps name, when not set.
     * @param steps Steps, in any order.
     */
    record Workflow(
            String module,
            String entity,
            @DefaultValue("status") String statusProperty,
            @Nullable List<String> statusTypes,
            @Nullable List<String> requesters,
            List<Step> steps) {}

    /**
     * A step.
     *
     * @param stepId Number by which people refer to the step. Its position times 10, when not set.
     * @param stepKey Name by which callers run the step.
     * @param status State from which the step may run.
     * @param claimState State to claim into and state to revert to, by requester.
     * @param successfulState State to which the step leads, by requester.
     * @param validation Bean that may object before the action runs, by requester.
     * @param action Bean that does the work, by requester.
     * @param successAfterEffect Bean that follows once the success is committed, by requester.
     */
    record Step(
            @Nullable Integer stepId,
            String stepKey,
            String status,
            @Nullable Map<String, List<String>> claimState,
            Map<String, String> successfulState,
            @Nullable Map<String, String> validation,
            Map<String, String> action,
            @Nullable Map<String, String> successAfterEffect) {}
}
