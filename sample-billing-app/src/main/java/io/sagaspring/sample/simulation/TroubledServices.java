package io.sagaspring.sample.simulation;

import io.sagaspring.workflow.ActionResult;
import java.util.List;
import org.springframework.aop.AfterReturningAdvice;
import org.springframework.aop.framework.AbstractAdvisingBeanPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.ErrorResponseException;

/** Adds the simulated trouble after the transactional methods of services, in their transaction. */
final class TroubledServices extends AbstractAdvisingBeanPostProcessor {

    private static final long serialVersionUID = 1L;

    /** Adds the advice as the innermost one, inside the transaction. */
    TroubledServices() {
        advisor = new DefaultPointcutAdvisor(
                new AnnotationMatchingPointcut(Service.class, Transactional.class),
                (AfterReturningAdvice) (result, method, arguments, service) -> end(simulated()));
    }

    private static ActionResult simulated() {
        try {
            return SimulationConfiguration.requested().after(ActionResult.success());
        } catch (InterruptedException interrupted) {
            // A checked exception would let the transaction commit.
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted in simulated work.", interrupted);
        }
    }

    private static void end(ActionResult result) {
        if (result instanceof ActionResult.Invalid objection) {
            throw refused("Rejected", objection.messages());
        }
        if (result instanceof ActionResult.Failure failure) {
            throw refused("Failed", List.of(failure.reason()));
        }
    }

    private static ErrorResponseException refused(String outcome, List<String> sentences) {
        HttpStatus status = HttpStatus.UNPROCESSABLE_CONTENT;
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, String.join(" ", sentences));
        problem.setProperty("outcome", outcome);
        return new ErrorResponseException(status, problem, null);
    }
}
