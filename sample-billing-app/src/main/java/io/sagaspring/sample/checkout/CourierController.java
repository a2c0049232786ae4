package io.sagaspring.sample.checkout;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sagaspring.saga.CallbackResult;
import io.sagaspring.saga.NoSuchCallbackException;
import io.sagaspring.saga.Sagas;
import io.sagaspring.saga.StepCallback;
import io.sagaspring.saga.StepError;
import io.sagaspring.sample.web.Storable;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/**
 * Receives the courier's callbacks. Only the courier knows the callback token. The responses to callers without this
 * token reveal nothing about a checkout.
 */
@RestController
@RequestMapping("/api/checkouts/{executionId}/steps/{step}")
class CourierController {

    private final Sagas sagas;

    CourierController(Sagas sagas) {
        this.sagas = sagas;
    }

    /**
     * Finds the callback before any other part of the request is checked, so that a caller without the token learns
     * nothing from the other checks.
     */
    @ModelAttribute
    StepCallback callback(
            @PathVariable String executionId,
            @PathVariable String step,
            @RequestHeader(name = "X-Callback-Token", required = false) @Nullable String token) {
        return sagas.callback(executionId, step, token);
    }

    @PostMapping("/complete")
    Answer complete(
            @ModelAttribute(binding = false) StepCallback callback,
            @RequestHeader(name = "Idempotency-Key", required = false) @Nullable @Size(min = 1, max = 255) String key,
            @RequestBody(required = false) @Nullable JsonNode payload) {
        return Answer.of(callback.complete(key, payload));
    }

    @PostMapping("/fail")
    Answer fail(
            @ModelAttribute(binding = false) StepCallback callback,
            @RequestHeader(name = "Idempotency-Key", required = false) @Nullable @Size(min = 1, max = 255) String key,
            @RequestBody @Valid Failure failure) {
        return Answer.of(callback.fail(key, failure.toError()));
    }

    @PostMapping("/extend")
    Answer extend(@ModelAttribute(binding = false) StepCallback callback, @RequestBody @Valid Extension extension) {
        return Answer.of(callback.extend(extension.by()));
    }

    @PostMapping("/heartbeat")
    Answer heartbeat(@ModelAttribute(binding = false) StepCallback callback) {
        return Answer.of(callback.heartbeat());
    }

    /**
     * Gives the same response to every missing or wrong token. Sets the instance of the problem detail, because the
     * default is the request's path, which differs between requests.
     */
    @ExceptionHandler(NoSuchCallbackException.class)
    ProblemDetail unknown() {
        ProblemDetail problem =
                ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, "No step waits for this callback.");
        problem.setInstance(URI.create("/api/checkouts"));
        return problem;
    }

    record Answer(
            boolean applied,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String because) {

        static Answer of(CallbackResult answer) {
            return new Answer(answer.applied(), answer.because());
        }
    }

    record Failure(
            @NotBlank @Storable @Size(max = 200) String type,

            @Nullable @Storable @Size(max = 2000) String message,

            @Nullable Map<String, Object> details) {

        StepError toError() {
            return new StepError(type, message, details);
        }
    }

    record Extension(
            @NotNull @DurationMin(nanos = 1) @DurationMax(days = 365)
            Duration by) {}
}
