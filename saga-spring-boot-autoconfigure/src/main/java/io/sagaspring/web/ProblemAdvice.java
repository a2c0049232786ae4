package io.sagaspring.web;

import io.sagaspring.entity.NoSuchIdException;
import io.sagaspring.workflow.TransitionRefusedException;
import io.sagaspring.workflow.UnknownException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers exceptions of steps with problem details, after every advice of the application: one of its own for the same
 * exceptions wins. What only a mistake in the application's code can raise is left to be a 500. Servlet applications only;
 * running a step blocks, so that a reactive application has to map it itself.
 */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
class ProblemAdvice {

    @ExceptionHandler
    ProblemDetail refused(TransitionRefusedException refused) {
        return Problems.of(refused.outcome());
    }

    /** What is configured is named to developers, by the exception, and not to clients. */
    @ExceptionHandler
    ProblemDetail unknown(UnknownException.Workflow unknown) {
        return Problems.problem(HttpStatus.NOT_FOUND, "UnknownWorkflow", "There is no such workflow.");
    }

    @ExceptionHandler
    ProblemDetail unknown(UnknownException.Step unknown) {
        return Problems.problem(HttpStatus.NOT_FOUND, "UnknownStep", "There is no such step.");
    }

    @ExceptionHandler
    ProblemDetail unknown(UnknownException.UnknownRequester unknown) {
        return Problems.problem(HttpStatus.BAD_REQUEST, "UnknownRequester", "There is no such requester.");
    }

    @ExceptionHandler({UnknownException.Entity.class, NoSuchIdException.class})
    ProblemDetail unknownEntity() {
        return Problems.problem(HttpStatus.NOT_FOUND, "UnknownEntity", "There is nothing with this id.");
    }
}
