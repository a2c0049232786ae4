package io.sagaspring.web;

import io.sagaspring.fence.OutcomeUnknownException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers where nobody can tell whether something took place, after every advice of the application.
 */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
class UnknownOutcomeAdvice {

    /** Without Retry-After: a client that repeats by itself is what must not happen here. */
    @ExceptionHandler
    ProblemDetail unknown(OutcomeUnknownException unknown) {
        return Problems.problem(
                HttpStatus.SERVICE_UNAVAILABLE,
                "OutcomeUnknown",
                "It cannot be told whether this took place. Read the data again before repeating it.");
    }
}
