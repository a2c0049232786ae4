package io.sagaspring.sample.payouts;

import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.sample.simulation.StepTrouble;
import io.sagaspring.sample.web.NotFoundException;
import io.sagaspring.sample.web.Storable;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/payouts")
class PayoutController {

    private final Payouts payouts;
    private final boolean simulated;

    PayoutController(Payouts payouts, @Value("${sample.simulate:false}") boolean simulated) {
        this.payouts = payouts;
        this.simulated = simulated;
    }

    record Request(
            @NotBlank @Storable @Size(max = 200) String tenant,
            @NotBlank @Storable @Size(max = 200) String reference,
            @Positive long amountCents,
            @Nullable @Min(-100) @Max(100) Integer priority,
            @Nullable Map<String, String> simulate) {

        Payout toPayout(boolean simulated) {
            return new Payout(tenant, reference, amountCents, simulated && simulate != null ? trouble(simulate) : "");
        }

        private static String trouble(Map<String, String> simulate) {
            simulate.forEach((where, what) -> {
                if (!where.equals(PayOut.TRANSFER)
                        || StepTrouble.parse(String.valueOf(what)).isEmpty()) {
                    throw refused(where, what);
                }
            });
            return simulate.getOrDefault(PayOut.TRANSFER, "");
        }

        private static ErrorResponseException refused(String where, String what) {
            ProblemDetail problem = ProblemDetail.forStatusAndDetail(
                    HttpStatus.BAD_REQUEST,
                    "The value '%s' of '%s' cannot be simulated. For %s, use fail:N, fail:always or delay:MILLIS."
                            .formatted(what, where, PayOut.TRANSFER));
            return new ErrorResponseException(HttpStatus.BAD_REQUEST, problem, null);
        }
    }

    record Answer(String runId, RunState state) {}

    @PostMapping
    ResponseEntity<Answer> start(@RequestBody @Valid Request request) {
        RunHandle<?> run =
                payouts.start(request.toPayout(simulated), Objects.requireNonNullElse(request.priority(), 0));
        return ResponseEntity.status(run.isNew() ? HttpStatus.ACCEPTED : HttpStatus.OK)
                .location(URI.create("/api/payouts/" + run.id()))
                .body(new Answer(run.id().toString(), one(run.id().toString()).state()));
    }

    @GetMapping("/{runId}")
    PayoutView one(@PathVariable String runId) {
        return RunId.find(runId).flatMap(payouts::find).orElseThrow(() -> NotFoundException.of("payout", runId));
    }

    @GetMapping
    List<PayoutView> of(@RequestParam String tenant) {
        return payouts.of(tenant);
    }
}
