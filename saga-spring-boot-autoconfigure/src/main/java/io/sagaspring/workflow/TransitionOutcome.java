package io.sagaspring.workflow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a step. An exception of the action is not an outcome: the caller gets it unchanged. Two kinds of
 * exception do become outcomes:
 *
 * <ul>
 *   <li>an optimistic-locking failure on the step's entity becomes {@link Conflict}, or {@link ClaimLost} if the claim
 *       is gone as well;
 *   <li>an exception of an action that was interrupted and whose claim was lost becomes {@link ClaimLost}.
 * </ul>
 *
 * @since 0.1.0
 */
public sealed interface TransitionOutcome {

    /**
     * Success: the step has run, and everything it wrote is committed.
     *
     * @param status the entity's new status
     * @param result the value that the action returned, or null if there is none
     */
    record Completed(String status, @Nullable Object result) implements TransitionOutcome {}

    /**
     * Objection: the validation or the action objected. Nothing was changed.
     *
     * @param messages human-readable sentences
     */
    record Rejected(List<String> messages) implements TransitionOutcome {}

    /**
     * Failure: the action could not do its work. Nothing was changed.
     *
     * @param reason a human-readable sentence
     */
    record Failed(String reason) implements TransitionOutcome {}

    /**
     * Refusal: another caller has claimed the entity. The action did not run.
     *
     * @param currentStatus the last known status of the entity: a claim state, unless the status kept changing
     */
    record ClaimFailed(String currentStatus) implements TransitionOutcome {}

    /**
     * Loss: the claim was lost before the commit. The owner's node sent no heartbeat for {@code
     * saga.janitor.stuck-after}, the action took longer than {@code saga.claims.max-duration}, or a person released the
     * claim. Nothing that the action wrote is committed.
     */
    record ClaimLost() implements TransitionOutcome {}

    /**
     * Conflict: the entity was modified concurrently, or does not have the version that the caller stated. This call
     * changed nothing.
     */
    record Conflict() implements TransitionOutcome {}

    /**
     * Refusal: the step does not start from the entity's status.
     *
     * @param currentStatus the entity's status
     * @param possibleSteps the keys of the steps that start from that status for this requester
     */
    record NotApplicable(String currentStatus, List<String> possibleSteps) implements TransitionOutcome {}

    /**
     * Returns the outcome's name, as it appears in metrics and in responses to clients.
     *
     * @return the name, such as {@code ClaimFailed}
     */
    default String name() {
        return getClass().getSimpleName();
    }

    /**
     * Returns the outcome as a human-readable sentence.
     *
     * @return the sentence
     */
    default String sentence() {
        if (this instanceof Completed completed) {
            return "The status is now %s.".formatted(completed.status());
        }
        if (this instanceof Rejected rejected) {
            return String.join(" ", rejected.messages());
        }
        if (this instanceof Failed failed) {
            return failed.reason();
        }
        if (this instanceof ClaimFailed) {
            return "another operation is already in progress";
        }
        if (this instanceof ClaimLost) {
            return "The operation lost its claim before it ended: its node sent no heartbeat for too long, the operation took too long, or a person released the claim. Nothing that it wrote was kept.";
        }
        if (this instanceof NotApplicable notApplicable) {
            return notApplicable.possibleSteps().isEmpty()
                    ? "The step does not start from status %s. No step of this requester starts from that status."
                            .formatted(notApplicable.currentStatus())
                    : "The step does not start from status %s. Possible steps: %s."
                            .formatted(notApplicable.currentStatus(), String.join(", ", notApplicable.possibleSteps()));
        }
        return "Another caller has changed the entity in the meantime. Nothing was written. Read the entity again.";
    }

    /**
     * Returns the success, or throws an exception. In a web application, the exception becomes a suitable response to
     * the client.
     *
     * @return this outcome, if the step has succeeded
     * @throws TransitionRefusedException if the step has not succeeded
     */
    default Completed orElseThrow() {
        if (this instanceof Completed completed) {
            return completed;
        }
        throw new TransitionRefusedException(this);
    }
}
