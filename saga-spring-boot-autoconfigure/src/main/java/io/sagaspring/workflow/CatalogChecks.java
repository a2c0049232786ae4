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
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * The rules that the text alone cannot judge: whether entities, their mappings and the beans are there and fit. It
 * collects faults like the rules of the text do, so that one start shows all of both.
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
            for (int index = 0; index < definition.steps().size(); index++) {
                StepDefinition step = definition.steps().get(index);
                String path = "saga.workflows.%s.steps[%s]".formatted(definition.name(), index);
                beans(definition.entity(), path, step);
                nonIdempotent(definition, path, step);
                sayWhoDoesNotClaim(definition, step);
            }
        }
        // What they name is checked, too, so that one start shows all faults.
        for (Unsound unsound : definitions.unsound()) {
            if (!unsound.entity().isEmpty()) {
                Class<?> entity = classOf(pathOf(unsound.name()), unsound.entity());
                if (entity != null) {
                    table(pathOf(unsound.name()), entity, unsound.statusProperty(), unsound.statusTypes());
                }
            }
            unsound.steps().forEach((path, step) -> beans(unsound.entity(), path, step));
        }
        sharedTables(definitions, workflows);
        return workflows;
    }

    /** Two entity classes may share a table. What the text's rules say of one entity holds of all on a table. */
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

    /** Claim states that modules drive themselves: what holds between workflows holds for them, too. */
    Map<ClaimState, EntityTable> check(Collection<ClaimState> others, List<Workflow> workflows) {
        Map<ClaimState, EntityTable> runLease = new HashMap<>();
        for (ClaimState state : others) {
            EntityTable table = table(
                    "bean of " + state,
                    state.entity(),
                    state.statusProperty(),
                    List.of(state.into(), state.revertTo()));
            if (table == null) {
                continue;
            }
            runLease.forEach((other, its) -> {
                if (its.name().equals(table.name())) {
                    againstBean(state, other);
                }
            });
            runLease.put(state, table);
            workflows.stream()
                    .filter(workflow -> workflow.table().name().equals(table.name()))
                    .forEach(workflow -> againstWorkflow(state, workflow));
        }
        return runLease;
    }

    private void againstWorkflow(ClaimState state, Workflow workflow) {
        boolean otherwise = workflow.claimStates().stream().anyMatch(twin -> isOtherwise(state, twin));
        boolean resting = workflow.definition().steps().stream()
                .anyMatch(step -> step.status().equals(state.into())
                        || step.successfulState().values().contains(state.into()));
        if (otherwise || resting) {
            beanFault(
                    state,
                    "Workflow '%s' uses %s %s. Give the %s a name of its own."
                            .formatted(
                                    workflow.name(),
                                    state.into(),
                                    resting ? "as a status at rest" : "with another module or way back",
                                    state));
        }
        if (workflow.claimStates().stream().anyMatch(first -> startsFrom(state, first))) {
            stolen(state, "workflow '%s'".formatted(workflow.name()));
        }
    }

    private void againstBean(ClaimState state, ClaimState other) {
        if (isOtherwise(state, other)) {
            beanFault(
                    state,
                    "Another bean declares %s with another module or way back. Give the %s a name of its own."
                            .formatted(state.into(), state));
        }
        if (startsFrom(state, other)) {
            stolen(state, "another bean");
        }
        if (startsFrom(other, state)) {
            stolen(other, "another bean");
        }
    }

    private static boolean isOtherwise(ClaimState state, ClaimState twin) {
        return twin.into().equals(state.into())
                && (!twin.revertTo().equals(state.revertTo()) || !twin.module().equals(state.module()));
    }

    private static boolean startsFrom(ClaimState state, ClaimState first) {
        return state.revertTo().equals(first.into());
    }

    private void stolen(ClaimState state, String claimant) {
        beanFault(
                state,
                "The %s starts from %s, into which %s claims: it would take the claim of somebody who still works. Let it start from a status at rest."
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
            fault(path, "entity-class", "There is no class %s. Name the entity with its package.".formatted(entity));
            return null;
        }
    }

    private @Nullable EntityTable table(String path, Class<?> entity, String statusProperty, List<String> states) {
        return tables.find(entity, statusProperty, states, sentence -> fault(path, "entity-mapping", sentence))
                .orElse(null);
    }

    /** Of an enum there are no other states, so that a typo in a step is found without a list, too. */
    private WorkflowDefinition withConstants(WorkflowDefinition definition, EntityTable table) {
        List<String> constants = table.statusConstants();
        if (constants.isEmpty()) {
            fault(
                    "saga.workflows.%s".formatted(definition.name()),
                    Rule.MISSING_KEY.shortName(),
                    "Workflow '%s' lacks 'status-types', and the status '%s' of %s is a String, which does not tell its states. List every state."
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
                            "State '%s' is no constant of the enum that holds the status, which has %s.%s Correct it."
                                    .formatted(state, constants, Nearest.question(Nearest.to(state, constants)))));
        }
        return definition.withStatusTypes(constants);
    }

    private void beans(String entity, String path, StepDefinition step) {
        each(entity, path + ".action", step.action(), StepAction.class);
        each(entity, path + ".validation", step.validation(), StepValidation.class);
        each(entity, path + ".success-after-effect", step.successAfterEffect(), AfterEffect.class);
    }

    private void each(String entity, String path, StepDefinition.PerRequester<String> names, Class<?> type) {
        names.entries().forEach((requester, name) -> {
            String refusal = beans.refusal(name, type, entity, classes);
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
                    "Step '%s' runs an action that is marked @NonIdempotent for %s without a claim state, so two callers could run it at once. Give %s a claim state, or take the mark away."
                            .formatted(step.key(), unprotected, unprotected.size() == 1 ? "this requester" : "each"));
        }
    }

    private static void sayWhoDoesNotClaim(WorkflowDefinition definition, StepDefinition step) {
        if (!step.claimState().values().isEmpty()) {
            definition.requesters().stream()
                    .filter(requester ->
                            step.isOpenTo(requester) && step.claimFor(requester).isEmpty())
                    .forEach(requester -> logger.info(
                            "Requester '{}' runs step '{}' of workflow '{}' without claiming: two such callers both run the action, and one of them gets a conflict",
                            requester,
                            step.key(),
                            definition.name()));
        }
    }

    private void fault(String path, String rule, String sentence) {
        faults.add(new Fault(path, rule, sentence, places.apply(path)));
    }
}
