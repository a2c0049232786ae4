package com.example.shop.checkout;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.saga.CallbackResult;
import io.sagaspring.saga.ExecutionView;
import io.sagaspring.saga.NoSuchCallbackException;
import io.sagaspring.saga.SagaHandle;
import io.sagaspring.saga.Sagas;
import io.sagaspring.saga.StepCallback;
import io.sagaspring.saga.StepError;
import io.sagaspring.saga.StepState;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
@RequestMapping("/checkouts")
class CheckoutController {

    private static final String TOKEN = "X-Callback-Token";

    private final Sagas sagas;

    CheckoutController(Sagas sagas) {
        this.sagas = sagas;
    }

    /** Starts a checkout. An order is checked out once: a second request gets the existing id. */
    @PostMapping
    @ResponseStatus(HttpStatus.ACCEPTED)
    SagaHandle start(@RequestBody Checkout checkout) {
        return sagas.start(CheckoutSaga.class, checkout);
    }

    @GetMapping("/{id}")
    CheckoutView one(@PathVariable String id) {
        return RunId.find(id)
                .flatMap(sagas::find)
                .map(CheckoutView::of)
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
    }

    @PostMapping("/{id}/delivered")
    CallbackResult delivered(
            @PathVariable String id, @RequestHeader(TOKEN) String token, @RequestBody Delivery delivery) {
        return courier(id, token).complete(delivery);
    }

    @PostMapping("/{id}/undeliverable")
    CallbackResult undeliverable(
            @PathVariable String id, @RequestHeader(TOKEN) String token, @RequestBody Reason reason) {
        return courier(id, token).failForGood(new StepError("undeliverable", reason.text()));
    }

    private StepCallback courier(String id, String token) {
        return sagas.callback(id, CheckoutSaga.DELIVER, token);
    }

    /** Answers every wrong token with the same 404, so that a guess does not even reveal which checkouts exist. */
    @ExceptionHandler(NoSuchCallbackException.class)
    @ResponseStatus(HttpStatus.NOT_FOUND)
    void unknown() {}

    record Delivery(String signedBy) {}

    record Reason(String text) {}

    record CheckoutView(RunState state, List<Step> steps, Map<String, Object> context) {

        record Step(String name, StepState state) {}

        static CheckoutView of(ExecutionView seen) {
            return new CheckoutView(
                    seen.state(),
                    seen.steps().stream()
                            .map(step -> new Step(step.name(), step.state()))
                            .toList(),
                    seen.context());
        }
    }
}
