package io.sagaspring.workflow;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimLedger;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.due.DueWork;
import io.sagaspring.entity.LoadedEntity;
import io.sagaspring.fence.FencedTransaction;
import io.sagaspring.fence.ForeignCode;
import io.sagaspring.fence.Hold;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.TransactionStatus;

/**
 * Executes one call of a step. If the step has a claim, the claim is already committed.
 *
 * <ol>
 *   <li>In one transaction: load the entity fresh, validate, act, set the status. Directly before the commit, the
 *       {@link CommitFence} removes the claim by its token. An owner that has lost its claim therefore commits nothing.
 *   <li>If the step does not succeed, for whatever reason, its transaction is rolled back and the claim is released.
 *   <li>If an exception comes after the last statement, for example because the connection has broken, ask the database
 *       whether the commit took place.
 * </ol>
 */
final class Transition {

    private static final Logger logger = LoggerFactory.getLogger(Transition.class);

    private final ClaimService claims;
    private final ClaimLedger ledger;
    private final DueWork due;
    private final StepBeans beans;
    private final EffectKeys effects;

    Transition(ClaimService claims, ClaimLedger ledger, DueWork due, StepBeans beans, EffectKeys effects) {
        this.claims = claims;
        this.ledger = ledger;
        this.due = due;
        this.beans = beans;
        this.effects = effects;
    }

    /** Executes the step. Then the keeper stops renewing the claim, if the step has one. */
    TransitionOutcome execute(StepRun run, @Nullable Hold hold) {
        try (hold) {
            return attempt(run, hold);
        }
    }

    /**
     * The verdict of the validation and the action, before anything is committed.
     *
     * @param refusal the outcome of a refusal, or null for a success
     * @param value the value of a success, or null if there is none
     */
    private record Verdict(
            @Nullable TransitionOutcome refusal, @Nullable Object value) {}

    private TransitionOutcome attempt(StepRun run, @Nullable Hold hold) {
        Attempt attempt = new Attempt(hold);
        try {
            Verdict verdict = act(run, attempt);
            return verdict.refusal() == null ? completed(run, verdict.value()) : refused(run, verdict.refusal());
        } catch (CommitFence.Lost lost) {
            return new TransitionOutcome.ClaimLost();
        } catch (CommitFence.Repeated repeated) {
            return changed(run.claim() == null ? null : release(run.claim(), null));
        } catch (LoadedEntity.EditedException edited) {
            logger.debug("The entity was modified concurrently with {}", run, edited);
            return changed(run.claim() == null ? null : release(run.claim(), null));
        } catch (RuntimeException | Error failed) {
            return failed(run, attempt, failed);
        }
    }

    /** The progress of an attempt. The progress is needed if the attempt ends with an exception. */
    private static final class Attempt {
        private final ForeignCode code = new ForeignCode();
        private final @Nullable Hold hold;
        private @Nullable LoadedEntity entity;
        private @Nullable CommitFence fence;
        private @Nullable Verdict verdict;

        Attempt(@Nullable Hold hold) {
            this.hold = hold;
        }

        boolean wasStopped() {
            return hold != null && hold.stop() != null;
        }
    }

    private Verdict act(StepRun run, Attempt attempt) {
        String name = "saga %s.%s".formatted(run.workflow(), run.step());
        return run.table().foreign(name, transaction -> {
            TransactionStatus status = transaction.status();
            LoadedEntity entity = transaction
                    .find(run.expected(), beans.needEntity(run))
                    .orElseThrow(() -> new UnknownException.Entity(run.table(), run.id()));
            attempt.entity = entity;
            Verdict verdict =
                    attempt.code.run(status, transaction::connection, attempt.hold, () -> judgeFenced(run, entity));
            attempt.verdict = verdict;
            if (verdict.refusal() != null) {
                status.setRollbackOnly();
                return verdict;
            }
            ForeignCode.requireCommit(
                    status,
                    () ->
                            "The action of %s marked its transaction rollback-only and then reported success, so the transaction was rolled back. To report a failure, return ActionResult.failure."
                                    .formatted(run));
            EffectKeys.Note note = effects.note(run, verdict.value());
            if (note != null) {
                verdict = new Verdict(null, note.result());
                attempt.verdict = verdict;
            }
            CommitFence fence = new CommitFence(run, ledger, due, effects, note);
            attempt.fence = fence;
            entity.moveOn(run.statusDuringAction(), run.target(), fence);
            return verdict;
        });
    }

    private Verdict judgeFenced(StepRun run, LoadedEntity entity) throws Exception {
        if (run.claim() == null) {
            return judge(run, entity);
        }
        FencedTransaction.begin();
        try {
            return judge(run, entity);
        } finally {
            FencedTransaction.end();
        }
    }

    private Verdict judge(StepRun run, LoadedEntity loaded) throws Exception {
        Supplier<Object> entity =
                () -> loaded.instance().orElseThrow(() -> new UnknownException.Entity(run.table(), run.id()));
        ActionResult result = beans.judge(run, entity);
        if (result instanceof ActionResult.Invalid invalid) {
            return new Verdict(new TransitionOutcome.Rejected(invalid.messages()), null);
        }
        if (result instanceof ActionResult.Failure failure) {
            return new Verdict(new TransitionOutcome.Failed(failure.reason()), null);
        }
        return new Verdict(null, ((ActionResult.Success) result).value());
    }

    private TransitionOutcome completed(StepRun run, @Nullable Object value) {
        if (run.definition().successAfterEffect().of(run.requester()).isPresent()) {
            due.wake(run.table().database());
        }
        return new TransitionOutcome.Completed(run.target(), value);
    }

    private TransitionOutcome refused(StepRun run, TransitionOutcome outcome) {
        Claim claim = run.claim();
        if (claim != null) {
            release(claim, null);
        }
        return outcome;
    }

    private TransitionOutcome failed(StepRun run, Attempt attempt, Throwable failure) {
        CommitFence fence = attempt.fence;
        if (fence != null && fence.transaction() != null && hasCommitted(run, fence.transaction(), failure)) {
            logger.error(
                    "{} is committed. The failure came after the commit, or only the commit's acknowledgement was lost",
                    run,
                    failure);
            return completed(run, attempt.verdict == null ? null : attempt.verdict.value());
        }
        if (failure instanceof LoadedEntity.MovedException moved) {
            return movedAway(run, moved.status());
        }
        if (attempt.verdict != null && attempt.verdict.refusal() != null) {
            logger.warn("{} was refused, and its rollback failed", run, failure);
            return refused(run, attempt.verdict.refusal());
        }
        Throwable thrown = attempt.code.cause(failure);
        // Check for a concurrent modification before the claim is released, because the release also changes the
        // entity.
        boolean edited = attempt.entity != null && isEdited(attempt.entity, thrown);
        Claim claim = run.claim();
        ClaimEnd ending = claim == null ? null : release(claim, thrown);
        if (ending == ClaimEnd.TAKEN && attempt.wasStopped()) {
            logger.warn("{} was interrupted and has lost its claim", run, thrown);
            return new TransitionOutcome.ClaimLost();
        }
        if (edited) {
            return changed(ending);
        }
        throw SneakyThrow.thrown(thrown);
    }

    private static boolean isEdited(LoadedEntity entity, Throwable thrown) {
        try {
            return entity.isEdited(thrown);
        } catch (RuntimeException unreachable) {
            thrown.addSuppressed(unreachable);
            return false;
        }
    }

    /**
     * Returns the outcome of a step whose entity was modified concurrently, or whose effect key another call has used
     * concurrently. If the claim is gone as well, the revert of the claim was the modification, so the outcome is
     * {@link TransitionOutcome.ClaimLost}.
     */
    private static TransitionOutcome changed(@Nullable ClaimEnd ending) {
        return ending == ClaimEnd.TAKEN ? new TransitionOutcome.ClaimLost() : new TransitionOutcome.Conflict();
    }

    private boolean hasCommitted(StepRun run, String transaction, Throwable failure) {
        return run.table().own().hasCommitted(transaction, run.toString(), failure);
    }

    private TransitionOutcome movedAway(StepRun run, String status) {
        if (run.claim() != null) {
            return changed(release(run.claim(), null));
        }
        return run.of().notStarted(status, run.requester(), claims);
    }

    /** Releases the claim. If the release fails, returns null, and the janitor reverts the claim later. */
    private @Nullable ClaimEnd release(Claim claim, @Nullable Throwable because) {
        try {
            return claims.release(claim);
        } catch (RuntimeException failed) {
            if (because != null) {
                because.addSuppressed(failed);
            } else {
                logger.warn("Could not release the claim {}. The janitor will revert it", claim, failed);
            }
            return null;
        }
    }
}
