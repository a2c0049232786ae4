package io.sagaspring.workflow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of a step. An exception of its action is none of these, unless it tells that somebody else has changed the
 * entity or follows the loss of the claim: it reaches the caller as it is.
 *
 * @since 0.1.0
 */
public sealed interface TransitionOutcome {

    /**
     * The step has run, and everything it did is committed.
     *
     * @param status where the entity is now
     * @param result what the action had to tell, if anything
     */
    record Completed(String status, @Nullable Object result) implements TransitionOutcome {}

    /**
     * The validation or the action objected. Nothing was changed.
     *
     * @param messages sentences for people
     */
    record Rejected(List<String> messages) implements TransitionOutcome {}

    /**
     * The action could not do its work. Nothing was changed.
     *
     * @param reason a sentence for people
     */
    record Failed(String reason) implements TransitionOutcome {}

    /**
     * Somebody else has the entity. The action did not run.
     *
     * @param currentStatus where the entity was last seen, which is a claim state unless it kept changing
     */
    record ClaimFailed(String currentStatus) implements TransitionOutcome {}

    /**
     * The claim was taken away before the commit: its node was silent for too long, the action took longer than it may, or
     * a person has released it. Nothing the action did is committed.
     */
    record ClaimLost() implements TransitionOutcome {}

    /**
     * The entity was changed by somebody else meanwhile, or is not of the version that the caller stated. Nothing was
     * changed.
     */
    record Conflict() implements TransitionOutcome {}

    /**
     * The step does not start from the entity's status.
     *
     * @param currentStatus where the entity is
     * @param possibleSteps the keys of the steps that start from there for this requester
     */
    record NotApplicable(String currentStatus, List<String> possibleSteps) implements TransitionOutcome {}

    /**
     * The outcome's name, as it shows in metrics and in answers to clients.
     *
     * @return such as {@code ClaimFailed}
     */
    default String name() {
        return getClass().getSimpleName();
    }

    /**
     * The outcome as a sentence for people.
     *
     * @return what happened
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
            return "The operation's claim was taken away before it ended: it took too long, or a person released it. Nothing it did was kept.";
        }
        if (this instanceof NotApplicable notApplicable) {
            return notApplicable.possibleSteps().isEmpty()
                    ? "The step does not start from status %s. No step of this requester does."
                            .formatted(notApplicable.currentStatus())
                    : "The step does not start from status %s. Possible steps: %s."
                            .formatted(notApplicable.currentStatus(), String.join(", ", notApplicable.possibleSteps()));
        }
        return "Somebody else has changed it meanwhile. Nothing was written; read it again.";
    }

    /**
     * The success, or an exception that in a web application becomes the right answer to the client.
     *
     * @return this, if the step has run
     * @throws TransitionRefusedException otherwise
     */
    default Completed orElseThrow() {
        if (this instanceof Completed completed) {
            return completed;
        }
        throw new TransitionRefusedException(this);
    }
}
