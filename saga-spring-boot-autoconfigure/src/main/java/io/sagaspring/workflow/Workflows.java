package io.sagaspring.workflow;

import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimLedger;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.definition.Requester;
import io.sagaspring.definition.StepDefinition;
import io.sagaspring.definition.WorkflowDefinition;
import io.sagaspring.entity.EntityRow;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs steps of the configured workflows.
 *
 * <pre>{@code
 * TransitionOutcome outcome = workflows.run("billing", billingId, "close", Requester.of("admin"));
 * }</pre>
 *
 * <p>A step with a claim state runs for one caller at a time: the entity is flipped into it, in a commit of its own, before
 * the action begins, and who loses that flip gets {@link TransitionOutcome.ClaimFailed} without entering the action. A step
 * without one may run for several callers, of whom one commits and the others get {@link TransitionOutcome.Conflict}.
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
    private final TransitionNotifier watch;

    Workflows(
            WorkflowCatalog catalog,
            ClaimService claims,
            ClaimLedger ledger,
            Transition transition,
            EffectKeys effects,
            TransitionNotifier watch) {
        this.catalog = catalog;
        this.claims = claims;
        this.ledger = ledger;
        this.transition = transition;
        this.effects = effects;
        this.watch = watch;
    }

    /**
     * Runs a step, and returns when everything it did is committed or nothing is.
     *
     * @param workflow the workflow's name
     * @param id the entity's id, or its text
     * @param step the step's key
     * @param requester on whose behalf
     * @return what became of it
     * @throws UnknownException if one of the four is not known
     * @throws io.sagaspring.entity.NoSuchIdException if the id is none of this entity's type
     * @throws io.sagaspring.fence.ActiveTransactionException if a transaction is active
     * @throws io.sagaspring.entity.DirtyContextException if this thread's context holds changes that are not saved
     * @throws io.sagaspring.fence.OutcomeUnknownException if the database cannot be asked whether a commit took place
     */
    public TransitionOutcome run(String workflow, Object id, String step, Requester requester) {
        return run(TransitionRequest.of(workflow, id, step, requester));
    }

    /**
     * Runs a step, and returns when everything it did is committed or nothing is.
     *
     * @param request the step, and what the action gets along
     * @return what became of it
     * @throws UnknownException if the workflow, the entity, the step or the requester is not known
     * @throws EffectKeyReusedException if the request's key belongs to another step, entity or requester
     * @throws io.sagaspring.payload.PayloadException if the request has a key and the action's result cannot be stored
     * @throws io.sagaspring.entity.NoSuchIdException if the id is none of this entity's type
     * @throws io.sagaspring.fence.ActiveTransactionException if a transaction is active
     * @throws io.sagaspring.entity.DirtyContextException if this thread's context holds changes that are not saved
     * @throws io.sagaspring.fence.OutcomeUnknownException if the database cannot be asked whether a commit took place
     */
    public TransitionOutcome run(TransitionRequest request) {
        ClaimLedger.requireNoTransaction();
        Workflow workflow = catalog.require(request.workflow());
        List<StepDefinition> steps = steps(workflow, request);
        Object id = workflow.table().stored(workflow.table().id(request.id()));
        Supplier<TransitionOutcome> run = () -> watch.over(request, id, () -> run(request, workflow, steps, id));
        EffectKey key = request.effectKey();
        return key == null ? run.get() : runOnce(request, key, workflow, id, run);
    }

    /** Listeners and meters are told of steps that run: a replayed answer is none. */
    private TransitionOutcome runOnce(
            TransitionRequest request, EffectKey key, Workflow workflow, Object id, Supplier<TransitionOutcome> run) {
        effects.requireReadable(key);
        // Before the step: an entity that is back where the step starts from must not be acted on a second time.
        Optional<TransitionOutcome> before = effects.find(request, key, workflow, id);
        if (before.isPresent()) {
            return before.get();
        }
        TransitionOutcome outcome = run.get();
        // A call with the same key may have taken effect meanwhile, and is why this one did not.
        return outcome instanceof TransitionOutcome.Completed
                ? outcome
                : effects.find(request, key, workflow, id).orElse(outcome);
    }

    /**
     * What was configured.
     *
     * @return every workflow
     */
    public Collection<WorkflowDefinition> definitions() {
        return catalog.all().stream().map(Workflow::definition).toList();
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
        workflow.table().unit().forgetWhatThisThreadHasLoaded();
        EntityRow seen = null;
        for (int tries = 0; tries < TRIES; tries++) {
            if (seen == null && steps.size() > 1) {
                seen = read(request, workflow, id);
            }
            StepDefinition step = startingFrom(seen, steps);
            if (step == null || (seen != null && isOfAnotherVersion(seen, request))) {
                return refusal(request, workflow, step, seen);
            }
            Optional<ClaimState> state = workflow.claimState(step, request.requester());
            if (state.isEmpty()) {
                return transition.execute(new StepRun(request, workflow, step, id, null), null);
            }
            // Read before the claim, so that no time of it is overlooked.
            Duration since = claims.now();
            ClaimAttempt attempt = ledger.claim(
                    workflow.table(), id, state.get(), request.requester().name(), request.version());
            if (attempt instanceof ClaimAttempt.Granted granted) {
                return transition.execute(
                        new StepRun(request, workflow, step, id, granted.claim()), claims.keep(granted.claim(), since));
            }
            if (!(attempt instanceof ClaimAttempt.Refused refused)) {
                throw new UnknownException.Entity(
                        request, workflow.table().entity().getSimpleName());
            }
            seen = refused.found();
        }
        return new TransitionOutcome.ClaimFailed(seen == null ? "" : seen.status());
    }

    private static EntityRow read(TransitionRequest request, Workflow workflow, Object id) {
        return workflow.table()
                .read(id)
                .orElseThrow(() -> new UnknownException.Entity(
                        request, workflow.table().entity().getSimpleName()));
    }

    /** Where nothing has been read yet, the only step there is: whether it starts from there, its claim will tell. */
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
