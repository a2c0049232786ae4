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
 * Answers exceptions of idempotency keys with problem details, after every advice of the application. Only a key that is
 * malformed says what is wrong with it; no answer shows a key.
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
                        "The same request is being worked on. Ask again: its reply will be there then."));
    }

    @ExceptionHandler
    ProblemDetail reused(KeyReusedException reused) {
        return Problems.problem(
                HttpStatus.UNPROCESSABLE_CONTENT,
                "KEY_REUSED",
                "This idempotency key was used before, for a request that said something else. A new request needs a new key.");
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
                "This request needs the header Idempotency-Key. Send one that is new for each request and the same for its repetitions.");
    }

    @ExceptionHandler
    ProblemDetail superseded(SupersededException superseded) {
        return Problems.problem(
                HttpStatus.CONFLICT,
                "SUPERSEDED",
                "The same request was begun again while this one took too long. The reply of the later one counts: ask again for it.");
    }

    @ExceptionHandler
    ProblemDetail notKept(ReplyNotKeptException notKept) {
        return Problems.problem(
                HttpStatus.CONFLICT,
                "REPLY_NOT_KEPT",
                "This request was carried out before, and its reply was not kept. It was not carried out again.");
    }

    @ExceptionHandler
    ProblemDetail tooMany(TooManyKeysException tooMany) {
        return Problems.problem(
                HttpStatus.TOO_MANY_REQUESTS,
                "TOO_MANY_KEYS",
                "There are too many earlier requests with idempotency keys. Nothing was carried out. Ask again when some of these keys have expired.");
    }

    @ExceptionHandler
    ProblemDetail tooLarge(RequestTooLargeException tooLarge) {
        return Problems.problem(
                HttpStatus.CONTENT_TOO_LARGE,
                "REQUEST_TOO_LARGE",
                "A request with an idempotency key may have a body of %d bytes.".formatted(tooLarge.limit()));
    }

    private static long secondsRoundedUp(Duration duration) {
        return duration.plusSeconds(1).minusNanos(1).toSeconds();
    }
}
