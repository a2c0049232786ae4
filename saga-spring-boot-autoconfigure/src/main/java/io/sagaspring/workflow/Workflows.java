package io.sagaspring.workflow;

import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimLedger;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.definition.Requester;
import io.sagaspring.definition.StepDefinition;
import io.sagaspring.definition.WorkflowDefinition;
import io.sagaspring.entity.EntityRow;
import io.sagaspring.entity.EntityTable;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The entry point that runs steps of the configured workflows.
 *
 * <pre>{@code
 * TransitionOutcome outcome = workflows.run("billing", billingId, "close", Requester.of("admin"));
 * }</pre>
 *
 * <p>On one entity, a step with a claim state runs for one caller at a time. The entity is flipped into the claim
 * state, in a separate commit, before the action begins. A caller whose flip fails gets {@link
 * TransitionOutcome.ClaimFailed}, and does not run the action.
 *
 * <p>A step without a claim state may run for several callers at the same time. One of them commits, and the others get
 * {@link TransitionOutcome.Conflict}.
 *
 * @since 0.1.0
 */
public final class Workflows {

    private static final int TRIES = 5;

    private final WorkflowCatalog catalog;
    private final ClaimService claims;
    private final ClaimLedger ledger;
    private final Transition transition;
    private final EffectKeys effects;
    private final TransitionNotifier notifier;

    Workflows(
            WorkflowCatalog catalog,
            ClaimService claims,
            ClaimLedger ledger,
            Transition transition,
            EffectKeys effects,
            TransitionNotifier notifier) {
        this.catalog = catalog;
        this.claims = claims;
        this.ledger = ledger;
        this.transition = transition;
        this.effects = effects;
        this.notifier = notifier;
    }

    /**
     * Runs a step, and returns when its changes are either all committed or all rolled back.
     *
     * @param workflow the workflow's name
     * @param id the entity's id, or the id as a string
     * @param step the step's key
     * @param requester the requester on whose behalf the step runs
     * @return the outcome of the step
     * @throws UnknownException if the workflow, the entity, the step or the requester is not known
     * @throws io.sagaspring.entity.NoSuchIdException if the id does not have the type of this entity's ids
     * @throws io.sagaspring.fence.ActiveTransactionException if a transaction is active
     * @throws io.sagaspring.entity.DirtyContextException if this thread's persistence context holds changes that are
     *     not saved
     * @throws io.sagaspring.fence.OutcomeUnknownException if the connection broke at a commit, and the library could
     *     not find out whether the commit took place
     */
    public TransitionOutcome run(String workflow, Object id, String step, Requester requester) {
        return run(TransitionRequest.of(workflow, id, step, requester));
    }

    /**
     * Runs a step, and returns when its changes are either all committed or all rolled back.
     *
     * @param request the step and the input of its action
     * @return the outcome of the step
     * @throws UnknownException if the workflow, the entity, the step or the requester is not known
     * @throws EffectKeyReusedException if the request's key belongs to another step, entity or requester
     * @throws io.sagaspring.payload.PayloadException if the request has a key, and the result's type cannot be read
     *     from the store or the action's result cannot be stored
     * @throws io.sagaspring.entity.NoSuchIdException if the id does not have the type of this entity's ids
     * @throws io.sagaspring.fence.ActiveTransactionException if a transaction is active
     * @throws io.sagaspring.entity.DirtyContextException if this thread's persistence context holds changes that are
     *     not saved
     * @throws io.sagaspring.fence.OutcomeUnknownException if the connection broke at a commit, and the library could
     *     not find out whether the commit took place
     */
    public TransitionOutcome run(TransitionRequest request) {
        ClaimLedger.requireNoTransaction();
        Workflow workflow = catalog.require(request.workflow()).here();
        List<StepDefinition> steps = steps(workflow, request);
        Object id = workflow.table().rowId(request.id());
        Supplier<TransitionOutcome> run =
                () -> notifier.observe(request, workflow.table(), id, () -> run(request, workflow, steps, id));
        EffectKey key = request.effectKey();
        return key == null ? run.get() : runOnce(request, key, workflow, id, run);
    }

    /**
     * Returns the recorded outcome, or runs the step. Only steps that run are reported to listeners and meters.
     */
    private TransitionOutcome runOnce(
            TransitionRequest request, EffectKey key, Workflow workflow, Object id, Supplier<TransitionOutcome> run) {
        effects.requireReadable(key);
        // Look up the key before the step runs, because the entity may be back in the status from which the step
        // starts. The step would then take effect twice.
        Optional<TransitionOutcome> before = effects.find(request, key, workflow, id);
        if (before.isPresent()) {
            return before.get();
        }
        TransitionOutcome outcome = run.get();
        // If this call has failed, the reason may be a concurrent call with the same key that has taken effect.
        return outcome instanceof TransitionOutcome.Completed
                ? outcome
                : effects.find(request, key, workflow, id).orElse(outcome);
    }

    /**
     * Returns the configured workflows.
     *
     * @return the definition of every workflow
     */
    public Collection<WorkflowDefinition> definitions() {
        return catalog.all().stream().map(Workflow::definition).toList();
    }

    /**
     * Reads the place of an entity. For an entity of a tenant, call this method in the context of the tenant.
     *
     * @param workflow the workflow's name
     * @param id the entity's id, or the id as a string
     * @return the place, or empty if there is no such entity
     * @throws UnknownException if the workflow is not known
     * @throws io.sagaspring.entity.NoSuchIdException if the id does not have the type of this entity's ids
     */
    public Optional<EntityPlace> place(String workflow, Object id) {
        EntityTable table = catalog.require(workflow).here().table();
        Object key = table.rowId(id);
        return table.read(key)
                .map(row -> new EntityPlace(
                        table.text(key),
                        row.status(),
                        row.version(),
                        claims.find(table, key).orElse(null)));
    }

    private static List<StepDefinition> steps(Workflow workflow, TransitionRequest request) {
        Requester requester = workflow.definition()
                .known(request.requester())
                .orElseThrow(() -> new UnknownException.UnknownRequester(
                        request, workflow.definition().requesters()));
        List<StepDefinition> steps = workflow.definition().stepsOf(request.step()).stream()
                .filter(step -> step.isOpenTo(requester))
                .toList();
        if (steps.isEmpty()) {
            throw new UnknownException.Step(
                    request,
                    workflow.definition().steps().stream()
                            .filter(step -> step.isOpenTo(requester))
                            .map(StepDefinition::key)
                            .distinct()
                            .toList());
        }
        return steps;
    }

    private TransitionOutcome run(TransitionRequest request, Workflow workflow, List<StepDefinition> steps, Object id) {
        workflow.table().clearThreadContext();
        EntityRow seen = null;
        for (int tries = 0; tries < TRIES; tries++) {
            if (seen == null && steps.size() > 1) {
                seen = read(workflow, id);
            }
            StepDefinition step = startingFrom(seen, steps);
            if (step == null || (seen != null && isOfAnotherVersion(seen, request))) {
                return refusal(request, workflow, step, seen);
            }
            Optional<ClaimState> state = workflow.claimState(step, request.requester());
            if (state.isEmpty()) {
                return transition.execute(
                        new StepRun(
                                request,
                                workflow,
                                step,
                                id,
                                null,
                                workflow.table().tenant()),
                        null);
            }
            // Read the clock before the claim, so that the claim's age is never underestimated.
            Duration since = claims.now();
            ClaimAttempt attempt = ledger.claim(
                    workflow.table(), id, state.get(), request.requester().name(), request.version());
            if (attempt instanceof ClaimAttempt.Granted granted) {
                return transition.execute(
                        new StepRun(
                                request,
                                workflow,
                                step,
                                id,
                                granted.claim(),
                                granted.claim().tenant()),
                        claims.keep(granted.claim(), workflow.table(), since));
            }
            if (!(attempt instanceof ClaimAttempt.Refused refused)) {
                throw new UnknownException.Entity(workflow.table(), id);
            }
            seen = refused.found();
        }
        return new TransitionOutcome.ClaimFailed(seen == null ? "" : seen.status());
    }

    private static EntityRow read(Workflow workflow, Object id) {
        return workflow.table().read(id).orElseThrow(() -> new UnknownException.Entity(workflow.table(), id));
    }

    /**
     * Returns the step that starts from the row's status, or null if there is none. If the row was not read, there is
     * only one step. This method then returns that step, and the status is checked later.
     */
    private static @Nullable StepDefinition startingFrom(@Nullable EntityRow seen, List<StepDefinition> steps) {
        return seen == null
                ? steps.get(0)
                : steps.stream()
                        .filter(step -> step.status().equals(seen.status()))
                        .findFirst()
                        .orElse(null);
    }

    private static boolean isOfAnotherVersion(EntityRow row, TransitionRequest request) {
        OptionalLong stated = request.version();
        return stated.isPresent() && stated.getAsLong() != row.version();
    }

    private TransitionOutcome refusal(
            TransitionRequest request, Workflow workflow, @Nullable StepDefinition step, @Nullable EntityRow row) {
        String status = row == null ? "" : row.status();
        TransitionOutcome refused = workflow.notStarted(status, request.requester(), claims);
        return step == null || refused instanceof TransitionOutcome.ClaimFailed
                ? refused
                : new TransitionOutcome.Conflict();
    }
}
