package io.sagaspring.workflow;

import io.micrometer.observation.ObservationRegistry;
import io.sagaspring.claim.ClaimLedger;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.definition.DefinitionReader.Definitions;
import io.sagaspring.definition.Fault;
import io.sagaspring.due.DueHandler;
import io.sagaspring.due.DueWork;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.entity.EntityTables;
import io.sagaspring.startup.StartupFaultException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Assembles the configured workflows, and reports all their faults in one exception.
 *
 * @since 0.1.0
 */
public final class WorkflowEngine {

    private final WorkflowCatalog catalog;
    private final StepBeans beans;
    private final Map<ClaimState, EntityTable> claimStates = new HashMap<>();

    /**
     * Checks the configured workflows against the application.
     *
     * @param definitions the workflows that were read, and the faults in their configuration
     * @param places the function that returns the place, such as a file and line, where a property is set
     * @param others the claim states that are declared as beans
     * @param tables the tables of the application's entities
     * @param beans the application's beans
     * @param classes the class loader of the entities
     * @throws StartupFaultException if a workflow or a claim state has a fault; the message lists all faults
     */
    public WorkflowEngine(
            Definitions definitions,
            UnaryOperator<@Nullable String> places,
            Collection<ClaimState> others,
            EntityTables tables,
            ConfigurableListableBeanFactory beans,
            ClassLoader classes) {
        CatalogChecks checks = new CatalogChecks(tables, beans, classes, places);
        List<Workflow> workflows = checks.check(definitions);
        Map<ClaimState, EntityTable> declaredAsBeans = checks.check(others, workflows);
        List<Fault> faults = new ArrayList<>(definitions.faults());
        faults.addAll(checks.faults());
        if (!faults.isEmpty()) {
            throw new InvalidDefinitionsException(faults);
        }
        this.catalog = new WorkflowCatalog(workflows);
        this.beans = new StepBeans(beans);
        workflows.forEach(
                workflow -> workflow.claimStates().forEach(state -> claimStates.put(state, workflow.table())));
        claimStates.putAll(declaredAsBeans);
    }

    /**
     * Returns every declared claim state.
     *
     * @return the claim states with the tables of their entities
     */
    public DeclaredClaimStates claimStates() {
        return new DeclaredClaimStates(claimStates);
    }

    /**
     * Returns the handler that delivers the after-effects.
     *
     * @return the handler
     */
    public DueHandler afterEffects() {
        return new AfterEffects(catalog.all(), beans);
    }

    /**
     * Creates the entry point that runs the steps.
     *
     * @param claims the service that renews and releases claims
     * @param ledger the ledger, which writes or removes a claim in the transaction that flips the entity
     * @param due the background work, to which after-effects are added
     * @param effects the store of the effect keys
     * @param events the publisher of the outcomes
     * @param observations the registry of the observations of steps
     * @param listeners the listeners that are notified when steps end
     * @return the entry point
     */
    public Workflows workflows(
            ClaimService claims,
            ClaimLedger ledger,
            DueWork due,
            EffectKeys effects,
            ApplicationEventPublisher events,
            ObservationRegistry observations,
            Collection<TransitionListener> listeners) {
        Transition transition = new Transition(claims, ledger, due, beans, effects);
        return new Workflows(
                catalog, claims, ledger, transition, effects, new TransitionNotifier(observations, listeners, events));
    }
}
