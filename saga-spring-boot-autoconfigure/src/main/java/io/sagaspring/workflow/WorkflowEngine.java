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
 * Puts the workflows together, and refuses with every fault at once.
 *
 * @since 0.1.0
 */
public final class WorkflowEngine {

    private final WorkflowCatalog catalog;
    private final StepBeans beans;
    private final Map<ClaimState, EntityTable> claimStates = new HashMap<>();

    /**
     * Checks what was configured against the application.
     *
     * @param definitions what was read, and what is wrong with its text
     * @param places tells where a property was written
     * @param others claim states that modules drive themselves
     * @param tables the application's entities
     * @param beans the application's beans
     * @param classes loads the entities
     * @throws StartupFaultException if anything is wrong
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
        Map<ClaimState, EntityTable> runLease = checks.check(others, workflows);
        List<Fault> faults = new ArrayList<>(definitions.faults());
        faults.addAll(checks.faults());
        if (!faults.isEmpty()) {
            throw new InvalidDefinitionsException(faults);
        }
        this.catalog = new WorkflowCatalog(workflows);
        this.beans = new StepBeans(beans);
        workflows.forEach(
                workflow -> workflow.claimStates().forEach(state -> claimStates.put(state, workflow.table())));
        claimStates.putAll(runLease);
    }

    /**
     * Every claim state that was declared.
     *
     * @return with the tables of their entities
     */
    public DeclaredClaimStates claimStates() {
        return new DeclaredClaimStates(claimStates);
    }

    /**
     * Does the after-effects.
     *
     * @return the handler of their due work
     */
    public DueHandler afterEffects() {
        return new AfterEffects(catalog.all(), beans);
    }

    /**
     * What runs the steps.
     *
     * @param claims claims and releases
     * @param ledger writes a claim, and removes it in the transaction of the flip
     * @param due takes the after-effects
     * @param effects remembers what has taken effect under a key
     * @param events is told of outcomes
     * @param observations observes runs
     * @param listeners are told how runs end
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
