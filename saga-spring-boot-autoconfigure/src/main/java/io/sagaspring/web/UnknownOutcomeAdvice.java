package io.sagaspring.web;

import io.sagaspring.fence.OutcomeUnknownException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers with a problem detail if it is unknown whether a request took effect. An advice of the application for the
 * same exception has precedence.
 */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
class UnknownOutcomeAdvice {

    /** Sets no Retry-After, because a client must not repeat such a request automatically. */
    @ExceptionHandler
    ProblemDetail unknown(OutcomeUnknownException unknown) {
        return Problems.problem(
                HttpStatus.SERVICE_UNAVAILABLE,
                "OutcomeUnknown",
                "It is unknown whether this request took effect. Read the data again before you repeat it.");
    }
}
