package io.sagaspring.web;

import io.sagaspring.idempotency.DuplicateRequestException;
import io.sagaspring.idempotency.InvalidKeyException;
import io.sagaspring.idempotency.KeyReusedException;
import io.sagaspring.idempotency.MissingKeyException;
import io.sagaspring.idempotency.ReplyNotKeptException;
import io.sagaspring.idempotency.SupersededException;
import io.sagaspring.idempotency.TooManyKeysException;
import io.sagaspring.idempotency.http.RequestTooLargeException;
import java.time.Duration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers exceptions of idempotency keys with problem details. An advice of the application for the same exception has
 * precedence. Only the answer to a malformed key contains the exception's message. No answer contains a key.
 */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
class KeyProblemAdvice {

    @ExceptionHandler
    ResponseEntity<ProblemDetail> duplicate(DuplicateRequestException duplicate) {
        return ResponseEntity.status(HttpStatus.CONFLICT)
                .header(HttpHeaders.RETRY_AFTER, Long.toString(secondsRoundedUp(duplicate.retryAfter())))
                .body(Problems.problem(
                        HttpStatus.CONFLICT,
                        "DUPLICATE_REQUEST",
                        "The same request is in progress. Repeat it in a few seconds to get its reply."));
    }

    @ExceptionHandler
    ProblemDetail reused(KeyReusedException reused) {
        return Problems.problem(
                HttpStatus.UNPROCESSABLE_CONTENT,
                "KEY_REUSED",
                "This idempotency key was used before for a different request. Send a new key with each new request.");
    }

    @ExceptionHandler
    ProblemDetail invalid(InvalidKeyException invalid) {
        return Problems.problem(HttpStatus.BAD_REQUEST, "INVALID_KEY", String.valueOf(invalid.getMessage()));
    }

    @ExceptionHandler
    ProblemDetail missing(MissingKeyException missing) {
        return Problems.problem(
                HttpStatus.BAD_REQUEST,
                "MISSING_KEY",
                "This request needs the header Idempotency-Key. Send a new key with each new request, and the same key when you repeat a request.");
    }

    @ExceptionHandler
    ProblemDetail superseded(SupersededException superseded) {
        return Problems.problem(
                HttpStatus.CONFLICT,
                "SUPERSEDED",
                "This request took too long, and a repeated request was started. The reply to the repeated request counts. Repeat the request to get it.");
    }

    @ExceptionHandler
    ProblemDetail notKept(ReplyNotKeptException notKept) {
        return Problems.problem(
                HttpStatus.CONFLICT,
                "REPLY_NOT_KEPT",
                "This request was executed before, but its reply was not stored. It was not executed again.");
    }

    @ExceptionHandler
    ProblemDetail tooMany(TooManyKeysException tooMany) {
        return Problems.problem(
                HttpStatus.TOO_MANY_REQUESTS,
                "TOO_MANY_KEYS",
                "There are too many earlier requests with idempotency keys. Nothing was executed. Repeat the request when some of these keys have expired.");
    }

    @ExceptionHandler
    ProblemDetail tooLarge(RequestTooLargeException tooLarge) {
        return Problems.problem(
                HttpStatus.CONTENT_TOO_LARGE,
                "REQUEST_TOO_LARGE",
                "The body of a request with an idempotency key may have at most %d bytes.".formatted(tooLarge.limit()));
    }

    private static long secondsRoundedUp(Duration duration) {
        return duration.plusSeconds(1).minusNanos(1).toSeconds();
    }
}
