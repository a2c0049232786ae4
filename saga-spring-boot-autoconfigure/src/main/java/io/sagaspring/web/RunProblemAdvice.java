package io.sagaspring.web;

import io.sagaspring.run.InvalidNameException;
import io.sagaspring.run.NoSuchRunException;
import io.sagaspring.run.RefusedValueException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers with a problem detail if a request names an unknown run, or contains a name or value that runs and sagas
 * cannot store. An advice of the application for the same exception has precedence.
 *
 * <p>A value of a type that the codec cannot write, and stored bytes that the codec cannot read, are mistakes of the
 * application. The exceptions for them still lead to the status 500.
 */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
class RunProblemAdvice {

    static final String INVALID_NAME = "InvalidName";
    static final String INVALID_VALUE = "InvalidValue";
    static final String VALUE_TOO_LARGE = "ValueTooLarge";
    static final String NO_SUCH_RUN = "NoSuchRun";

    @ExceptionHandler
    ProblemDetail invalid(InvalidNameException invalid) {
        return Problems.problem(
                HttpStatus.BAD_REQUEST,
                INVALID_NAME,
                "A name or a key in this request is blank, is too long, or has a character that cannot be stored.");
    }

    @ExceptionHandler
    ProblemDetail unknown(NoSuchRunException unknown) {
        return Problems.problem(
                HttpStatus.NOT_FOUND,
                NO_SUCH_RUN,
                "There is no such run. It was never started, or it ended so long ago that it was removed.");
    }

    @ExceptionHandler
    ProblemDetail refused(RefusedValueException refused) {
        return refused.isTooLarge()
                ? Problems.problem(
                        HttpStatus.CONTENT_TOO_LARGE,
                        VALUE_TOO_LARGE,
                        "A value in this request is too large to be stored. Send less.")
                : Problems.problem(
                        HttpStatus.BAD_REQUEST,
                        INVALID_VALUE,
                        "A value in this request cannot be stored. It is nested too deeply, or has a number or a name that is too long.");
    }
}
