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
 * Answers exceptions of steps with problem details. An advice of the application for the same exception has precedence.
 * Exceptions that only a mistake in the application's code can cause still lead to the status 500.
 *
 * <p>This advice is for servlet applications only, because running a step blocks the thread. A reactive application has
 * to map these exceptions itself.
 */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
class ProblemAdvice {

    @ExceptionHandler
    ProblemDetail refused(TransitionRefusedException refused) {
        return Problems.of(refused.outcome());
    }

    /**
     * Omits the names of the configured workflows. The exception lists them for developers, but clients must not see
     * them.
     */
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
        return Problems.problem(HttpStatus.NOT_FOUND, "UnknownEntity", "There is no entity with this id.");
    }
}
