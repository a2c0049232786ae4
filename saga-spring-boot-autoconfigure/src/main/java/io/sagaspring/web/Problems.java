package io.sagaspring.web;

import io.sagaspring.workflow.TransitionOutcome;
import java.net.URI;
import java.util.Locale;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/**
 * The problem details of steps and requests that did not succeed. Clients distinguish them by the member {@code
 * outcome}, or by {@code type}. The {@code detail} is meant for humans.
 */
final class Problems {

    private Problems() {}

    /** Creates the problem detail of an outcome that is not a success. */
    static ProblemDetail of(TransitionOutcome outcome) {
        ProblemDetail problem = problem(status(outcome), outcome.name(), outcome.sentence());
        if (outcome instanceof TransitionOutcome.ClaimFailed claimFailed
                && !claimFailed.currentStatus().isEmpty()) {
            problem.setProperty("currentStatus", claimFailed.currentStatus());
        }
        if (outcome instanceof TransitionOutcome.NotApplicable notApplicable) {
            problem.setProperty("currentStatus", notApplicable.currentStatus());
            problem.setProperty("possibleSteps", notApplicable.possibleSteps());
        }
        if (outcome instanceof TransitionOutcome.Rejected rejected) {
            problem.setProperty("messages", rejected.messages());
        }
        return problem;
    }

    /**
     * Creates a problem detail. Its title consists of the words in the outcome's name: {@code Claim failed} for {@code
     * ClaimFailed}, and {@code Key reused} for {@code KEY_REUSED}.
     */
    static ProblemDetail problem(HttpStatus status, String outcome, String detail) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
        String words = outcome.replaceAll("_|(?<=[a-z])(?=[A-Z])", " ");
        problem.setType(URI.create("urn:sagaspring:" + words.replace(' ', '-').toLowerCase(Locale.ROOT)));
        problem.setTitle(words.substring(0, 1) + words.substring(1).toLowerCase(Locale.ROOT));
        problem.setProperty("outcome", outcome);
        return problem;
    }

    private static HttpStatus status(TransitionOutcome outcome) {
        return outcome instanceof TransitionOutcome.Rejected || outcome instanceof TransitionOutcome.Failed
                ? HttpStatus.UNPROCESSABLE_CONTENT
                : HttpStatus.CONFLICT;
    }
}
