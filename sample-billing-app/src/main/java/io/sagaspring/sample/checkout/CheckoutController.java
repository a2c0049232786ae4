package io.sagaspring.sample.checkout;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.saga.ExecutionView;
import io.sagaspring.saga.SagaHandle;
import io.sagaspring.saga.SagaQuery;
import io.sagaspring.saga.SagaResult;
import io.sagaspring.saga.Sagas;
import io.sagaspring.sample.web.NotFoundException;
import io.sagaspring.sample.web.Storable;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/checkouts")
class CheckoutController {

    private final Sagas sagas;
    private final boolean simulated;

    CheckoutController(Sagas sagas, @Value("${sample.simulate:false}") boolean simulated) {
        this.sagas = sagas;
        this.simulated = simulated;
    }

    @PostMapping
    ResponseEntity<Answer> start(@RequestBody @Valid CheckoutRequest request) {
        SagaHandle checkout = sagas.start(CheckoutSaga.class, request.toCheckout(simulated));
        return ResponseEntity.status(checkout.isNew() ? HttpStatus.ACCEPTED : HttpStatus.OK)
                .location(URI.create("/api/checkouts/" + checkout.id()))
                .body(Answer.of(find(checkout.id().toString())));
    }

    /**
     * Returns a checkout, and optionally waits for its end. A waiting request holds a thread of the web server, but no
     * database connection.
     */
    @GetMapping("/{executionId}")
    CheckoutView one(
            @PathVariable String executionId,
            @RequestParam(required = false) @DurationMin @DurationMax(minutes = 2) @Nullable Duration await)
            throws InterruptedException {
        ExecutionView seen = find(executionId);
        if (await == null) {
            return CheckoutView.of(seen);
        }
        SagaResult unused = sagas.await(seen.id(), await);
        return CheckoutView.of(find(executionId));
    }

    /** Returns the latest checkouts, most recent first. */
    @GetMapping
    List<CheckoutSummary> latest() {
        return sagas.list(SagaQuery.of(CheckoutSaga.class).limit(20)).stream()
                .map(CheckoutSummary::of)
                .toList();
    }

    @GetMapping("/{executionId}/timeline")
    CheckoutTimeline timeline(@PathVariable String executionId) {
        return CheckoutTimeline.of(find(executionId));
    }

    @PostMapping("/{executionId}/cancel")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Answer cancel(@PathVariable String executionId, @RequestBody @Valid Cancellation cancellation) {
        RunId id = find(executionId).id();
        sagas.cancel(id, cancellation.reason());
        return Answer.of(find(executionId));
    }

    /**
     * Approves or rejects a checkout. An approval is sent to the checkout as a signal. A rejection cancels the
     * checkout, which is then compensated.
     */
    @PostMapping("/{executionId}/signals/approval")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Answer approve(
            @PathVariable String executionId,
            @RequestHeader(name = "Idempotency-Key", required = false) @Nullable @Size(min = 1, max = 255) String key,
            @RequestBody @Valid Approval approval) {
        RunId id = find(executionId).id();
        if (approval.isRejection()) {
            sagas.cancel(id, "rejected by " + approval.approvedBy());
        } else if (key == null) {
            sagas.signal(id, "approval", approval);
        } else {
            sagas.signal(id, "approval", key, approval);
        }
        return Answer.of(find(executionId));
    }

    private ExecutionView find(String executionId) {
        return RunId.find(executionId)
                .flatMap(sagas::find)
                .orElseThrow(() -> NotFoundException.of("checkout", executionId));
    }

    record Answer(String executionId, RunState state) {

        static Answer of(ExecutionView seen) {
            return new Answer(seen.id().toString(), seen.state());
        }
    }

    record Cancellation(
            @NotBlank @Storable @Size(max = 1000) String reason) {}

    record Approval(
            @NotBlank @Storable @Size(max = 200) String approvedBy,
            @NotNull @Pattern(regexp = "approved|rejected") String decision) {

        private boolean isRejection() {
            return decision.equals("rejected");
        }
    }
}
