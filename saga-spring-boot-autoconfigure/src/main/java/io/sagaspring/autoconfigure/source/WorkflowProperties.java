package io.sagaspring.autoconfigure.source;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Describes the workflow keys, so that an IDE can complete them. The parameter {@code entity} has the type {@code
 * Class}, so that the IDE offers classes. This class is never bound: binding would stop at the first wrong shape, treat
 * a typo as an absent key, and have no line numbers. {@link WorkflowSources} reads the workflows.
 *
 * @param workflows Workflows by name.
 * @param workflowLocations Folders of workflow files. Each JSON or YAML file holds one workflow.
 */
@ConfigurationProperties("saga")
record WorkflowProperties(
        @Nullable Map<String, Workflow> workflows,
        @DefaultValue("classpath*:/workflows/") List<String> workflowLocations) {

    /**
     * A workflow.
     *
     * @param module Module that owns the entity. Its janitor covers the claim states of this workflow.
     * @param entity Class name of the entity, with its package. JPA or a ClaimTable maps it.
     * @param statusProperty Property of the entity that holds the status.
     * @param statusTypes All statuses. If not set, the constants of the enum that holds the status.
     * @param requesters All requesters that may run a step. If not set, the requesters that the steps name.
     * @param steps Steps, in any order.
     */
    record Workflow(
            String module,
            Class<?> entity,
            @DefaultValue("status") String statusProperty,
            @Nullable List<String> statusTypes,
            @Nullable List<String> requesters,
            List<Step> steps) {}

    /**
     * A step.
     *
     * @param stepId Number of the step, for display. If not set, ten times the position of the step.
     * @param stepKey Name by which callers run the step.
     * @param status Status from which the step starts.
     * @param claimState Claim state, and the status that a revert leads to, for each requester.
     * @param successfulState Status after the step has succeeded, for each requester.
     * @param validation Bean that can reject the step before the action runs, for each requester.
     * @param action Bean that does the work, for each requester.
     * @param successAfterEffect Bean that is called after the success is committed, for each requester.
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
