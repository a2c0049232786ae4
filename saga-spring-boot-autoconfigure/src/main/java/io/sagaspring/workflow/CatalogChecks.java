package io.sagaspring.workflow;

import io.sagaspring.claim.ClaimState;
import io.sagaspring.definition.DefinitionReader.Definitions;
import io.sagaspring.definition.DefinitionReader.Unsound;
import io.sagaspring.definition.Fault;
import io.sagaspring.definition.Nearest;
import io.sagaspring.definition.Requester;
import io.sagaspring.definition.Rule;
import io.sagaspring.definition.StepDefinition;
import io.sagaspring.definition.WorkflowDefinition;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.entity.EntityTables;
import io.sagaspring.workflow.StepBeanTypes.Handled;
import io.sagaspring.workflow.StepBeanTypes.Purpose;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Checks the rules that need more than the configuration itself: entities, their mappings and beans must exist and fit.
 * The faults are collected together with the faults of the configuration, so that one start shows all faults.
 */
final class CatalogChecks {

    private static final Logger logger = LoggerFactory.getLogger(CatalogChecks.class);

    private final EntityTables tables;
    private final StepBeanTypes beans;
    private final ClassLoader classes;
    private final UnaryOperator<@Nullable String> places;
    private final List<Fault> faults = new ArrayList<>();

    CatalogChecks(
            EntityTables tables,
            ConfigurableListableBeanFactory beans,
            ClassLoader classes,
            UnaryOperator<@Nullable String> places) {
        this.tables = tables;
        this.beans = new StepBeanTypes(beans);
        this.classes = classes;
        this.places = places;
    }

    List<Workflow> check(Definitions definitions) {
        List<Workflow> workflows = new ArrayList<>();
        for (WorkflowDefinition definition : definitions.workflows()) {
            Workflow workflow = entity(definition);
            if (workflow != null) {
                workflows.add(workflow);
            }
            Handled handled = handled(definition.entity(), workflow == null ? null : workflow.table());
            for (int index = 0; index < definition.steps().size(); index++) {
                StepDefinition step = definition.steps().get(index);
                String path = "saga.workflows.%s.steps[%s]".formatted(definition.name(), index);
                beans(handled, path, step);
                nonIdempotent(definition, path, step);
                logUnclaimed(definition, step);
            }
        }
        // Also check the classes and beans of faulty workflows, so that one start shows all faults.
        for (Unsound unsound : definitions.unsound()) {
            EntityTable table = null;
            if (!unsound.entity().isEmpty()) {
                Class<?> entity = classOf(pathOf(unsound.name()), unsound.entity());
                table = entity == null
                        ? null
                        : table(pathOf(unsound.name()), entity, unsound.statusProperty(), unsound.statusTypes());
            }
            Handled handled = handled(unsound.entity(), table);
            unsound.steps().forEach((path, step) -> beans(handled, path, step));
        }
        sharedTables(definitions, workflows);
        return workflows;
    }

    /** Applies the rules for workflows of one entity also to workflows whose entity classes share a table. */
    private void sharedTables(Definitions definitions, List<Workflow> workflows) {
        Map<String, String> tables = workflows.stream()
                .collect(Collectors.toMap(
                        workflow -> workflow.definition().entity(),
                        workflow -> workflow.table().name(),
                        (one, same) -> one));
        definitions.faultsByTable(entity -> tables.getOrDefault(entity, entity)).stream()
                .filter(fault -> !definitions.faults().contains(fault))
                .forEach(faults::add);
    }

    /** Checks the claim states that are declared as beans against each other and against the workflows. */
    Map<ClaimState, EntityTable> check(Collection<ClaimState> others, List<Workflow> workflows) {
        Map<ClaimState, EntityTable> checked = new HashMap<>();
        for (ClaimState state : others) {
            EntityTable table = table(
                    "bean of " + state,
                    state.entity(),
                    state.statusProperty(),
                    List.of(state.into(), state.revertTo()));
            if (table == null) {
                continue;
            }
            checked.forEach((other, otherTable) -> {
                if (otherTable.name().equals(table.name())) {
                    againstBean(state, other);
                }
            });
            checked.put(state, table);
            workflows.stream()
                    .filter(workflow -> workflow.table().name().equals(table.name()))
                    .forEach(workflow -> againstWorkflow(state, workflow));
        }
        Map<ClaimState, EntityTable> all = new LinkedHashMap<>();
        workflows.forEach(workflow -> workflow.claimStates().forEach(state -> all.put(state, workflow.table())));
        all.putAll(checked);
        oneStatus(all, checked.keySet());
        return checked;
    }

    /**
     * Rejects claim states on two different status properties of the same entity. An entity has only one claim, so a
     * claim on the second property would take over a claim on the first.
     */
    private void oneStatus(Map<ClaimState, EntityTable> claims, Set<ClaimState> beans) {
        Map<String, ClaimState> byWorkflow = new LinkedHashMap<>();
        claims.keySet().forEach(state -> byWorkflow.putIfAbsent(state.workflow(), state));
        List<ClaimState> before = new ArrayList<>();
        for (ClaimState state : byWorkflow.values()) {
            before.stream()
                    .filter(first -> areTwoOfOne(
                            Objects.requireNonNull(claims.get(first)), Objects.requireNonNull(claims.get(state))))
                    .findFirst()
                    .ifPresent(first -> fault(
                            beans.contains(state)
                                    ? "bean of " + state
                                    : "saga.workflows.%s.status-property".formatted(state.workflow()),
                            "one-status",
                            "Workflows '%s' and '%s' claim the same entities, but through two statuses, '%s' and '%s'. An entity has one claim, so the second claim would take over the first. Use one status for both, or move one into an entity of its own."
                                    .formatted(
                                            first.workflow(),
                                            state.workflow(),
                                            first.statusProperty(),
                                            state.statusProperty())));
            before.add(state);
        }
    }

    private static boolean areTwoOfOne(EntityTable one, EntityTable other) {
        return one.name().equals(other.name()) && one.hasOtherStatus(other);
    }

    private void againstWorkflow(ClaimState state, Workflow workflow) {
        boolean contradicted = workflow.claimStates().stream().anyMatch(twin -> contradicts(state, twin));
        boolean resting = workflow.definition().steps().stream()
                .anyMatch(step -> step.status().equals(state.into())
                        || step.successfulState().values().contains(state.into()));
        if (contradicted || resting) {
            beanFault(
                    state,
                    "Workflow '%s' uses %s %s. Give the %s a different name."
                            .formatted(
                                    workflow.name(),
                                    state.into(),
                                    resting
                                            ? "as a normal status"
                                            : "with a different module or a different status to revert to",
                                    state));
        }
        if (workflow.claimStates().stream().anyMatch(first -> startsFrom(state, first))) {
            stolen(state, "workflow '%s'".formatted(workflow.name()));
        }
    }

    private void againstBean(ClaimState state, ClaimState other) {
        if (contradicts(state, other)) {
            beanFault(
                    state,
                    "Another bean declares %s with a different module or a different status to revert to. Give the %s a different name."
                            .formatted(state.into(), state));
        }
        if (startsFrom(state, other)) {
            stolen(state, "another bean");
        }
        if (startsFrom(other, state)) {
            stolen(other, "another bean");
        }
    }

    private static boolean contradicts(ClaimState state, ClaimState twin) {
        return twin.into().equals(state.into())
                && (!twin.revertTo().equals(state.revertTo()) || !twin.module().equals(state.module()));
    }

    private static boolean startsFrom(ClaimState state, ClaimState first) {
        return state.revertTo().equals(first.into());
    }

    private void stolen(ClaimState state, String claimant) {
        beanFault(
                state,
                "The %s starts from %s, which is a claim state of %s. A claim would take over the entity from an owner that is still working. Let the claim start from a status that is not a claim state."
                        .formatted(state, state.revertTo(), claimant));
    }

    private void beanFault(ClaimState state, String sentence) {
        fault("bean of " + state, "claim-state-bean", sentence);
    }

    List<Fault> faults() {
        return faults;
    }

    private @Nullable Workflow entity(WorkflowDefinition definition) {
        String path = pathOf(definition.name());
        Class<?> entity = classOf(path, definition.entity());
        EntityTable table =
                entity == null ? null : table(path, entity, definition.statusProperty(), definition.statusTypes());
        if (table == null) {
            return null;
        }
        return new Workflow(definition.statusTypes().isEmpty() ? withConstants(definition, table) : definition, table);
    }

    private static String pathOf(String workflow) {
        return "saga.workflows.%s.entity".formatted(workflow);
    }

    private @Nullable Class<?> classOf(String path, String entity) {
        try {
            return ClassUtils.forName(entity, classes);
        } catch (ClassNotFoundException | LinkageError missing) {
            fault(
                    path,
                    "entity-class",
                    "There is no class %s. Give the entity's full class name, with its package.".formatted(entity));
            return null;
        }
    }

    private @Nullable EntityTable table(String path, Class<?> entity, String statusProperty, List<String> states) {
        return tables.find(entity, statusProperty, states, sentence -> fault(path, "entity-mapping", sentence))
                .orElse(null);
    }

    /**
     * Uses the constants of the status's type as the list of states, so that a typo in a step is found even if the
     * workflow lists no states.
     */
    private WorkflowDefinition withConstants(WorkflowDefinition definition, EntityTable table) {
        List<String> constants = table.statusConstants();
        if (constants.isEmpty()) {
            fault(
                    "saga.workflows.%s".formatted(definition.name()),
                    Rule.MISSING_KEY.shortName(),
                    "Workflow '%s' lacks 'status-types', and the status '%s' of %s has no constants, so the workflow's statuses are unknown. List every status in 'status-types'."
                            .formatted(definition.name(), definition.statusProperty(), definition.entity()));
            return definition;
        }
        for (int index = 0; index < definition.steps().size(); index++) {
            String path = "saga.workflows.%s.steps[%s]".formatted(definition.name(), index);
            definition.steps().get(index).states().stream()
                    .distinct()
                    .filter(state -> !constants.contains(state))
                    .forEach(state -> fault(
                            path,
                            Rule.UNKNOWN_STATUS.shortName(),
                            "State '%s' is not a constant of the status's type. The constants are %s.%s Correct the name."
                                    .formatted(state, constants, Nearest.question(Nearest.to(state, constants)))));
        }
        return definition.withStatusTypes(constants);
    }

    /**
     * Describes an entity for the checks of its beans. These checks continue even if the entity's class or mapping has
     * faults.
     */
    private Handled handled(String entity, @Nullable EntityTable table) {
        Class<?> type = ClassUtils.isPresent(entity, classes) ? ClassUtils.resolveClassName(entity, classes) : null;
        return new Handled(entity, type, table == null ? null : table.idType());
    }

    private void beans(Handled entity, String path, StepDefinition step) {
        each(entity, path + ".action", step.action(), Purpose.ACTION);
        each(entity, path + ".validation", step.validation(), Purpose.VALIDATION);
        each(entity, path + ".success-after-effect", step.successAfterEffect(), Purpose.AFTER_EFFECT);
    }

    private void each(Handled entity, String path, StepDefinition.PerRequester<String> names, Purpose purpose) {
        names.entries().forEach((requester, name) -> {
            String refusal = beans.refusal(name, purpose, entity);
            if (refusal != null) {
                fault("%s.%s".formatted(path, requester), "bean", refusal);
            }
        });
    }

    private void nonIdempotent(WorkflowDefinition definition, String path, StepDefinition step) {
        List<String> unprotected = definition.requesters().stream()
                .filter(step::isOpenTo)
                .filter(requester -> step.claimFor(requester).isEmpty())
                .filter(requester -> step.action()
                        .of(requester)
                        .filter(beans::isNonIdempotent)
                        .isPresent())
                .map(Requester::name)
                .toList();
        if (!unprotected.isEmpty()) {
            fault(
                    path + ".claim-state",
                    "non-idempotent",
                    "Step '%s' runs an action that is marked @NonIdempotent. The step has no claim state for %s, so two callers could run the action at once. Give %s a claim state, or remove the annotation."
                            .formatted(step.key(), unprotected, unprotected.size() == 1 ? "this requester" : "each"));
        }
    }

    private static void logUnclaimed(WorkflowDefinition definition, StepDefinition step) {
        if (!step.claimState().values().isEmpty()) {
            definition.requesters().stream()
                    .filter(requester ->
                            step.isOpenTo(requester) && step.claimFor(requester).isEmpty())
                    .forEach(requester -> logger.info(
                            "Requester '{}' runs step '{}' of workflow '{}' without a claim. If two such callers run it at once, both run the action, and one of them gets a conflict",
                            requester,
                            step.key(),
                            definition.name()));
        }
    }

    private void fault(String path, String rule, String sentence) {
        faults.add(new Fault(path, rule, sentence, places.apply(path)));
    }
}
