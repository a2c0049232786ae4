package io.sagaspring.sample.checkout;

import io.sagaspring.saga.StepContext;
import io.sagaspring.sample.simulation.StepTrouble;
import java.util.Map;
import java.util.Set;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * Simulated failures and delays, which make retries, compensations and crashes visible. They occur before the side
 * effect of a step or of its compensation, so a failed attempt has no effect.
 */
final class Trouble {

    private static final String COURIER = "auto_courier";
    private static final Set<String> WHERE = Set.of(
            "charge_card",
            "refund_payment",
            "reserve_stock",
            "release_stock",
            "arrange_fulfillment",
            "cancel_shipment",
            "send_receipt");

    private Trouble() {}

    /** Rejects unknown keys and values. */
    static Map<String, String> require(Map<String, String> simulate) {
        simulate.forEach((where, what) -> {
            String text = String.valueOf(what);
            boolean isKnown = where.equals(COURIER)
                    ? text.equals("true") || text.equals("false")
                    : WHERE.contains(where) && StepTrouble.parse(text).isPresent();
            if (!isKnown) {
                throw refused(where, text);
            }
        });
        return Map.copyOf(simulate);
    }

    private static ErrorResponseException refused(String where, String what) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(
                HttpStatus.BAD_REQUEST,
                "The value '%3$s' of '%4$s' cannot be simulated. For '%2$s', use true or false. For the steps and compensations (%1$s), use fail:N, fail:always or delay:MILLIS."
                        .formatted(String.join(", ", WHERE.stream().sorted().toList()), COURIER, what, where));
        return new ErrorResponseException(HttpStatus.BAD_REQUEST, problem, null);
    }

    /** Simulates the requested trouble, if any. */
    static void before(String where, StepContext<Checkout> context) throws InterruptedException {
        String what = context.input().simulate().getOrDefault(where, "");
        StepTrouble.parse(what).orElse(StepTrouble.NONE).occur(where, context.attempt());
    }

    static boolean isDeliveredByTheCourierHimself(Checkout checkout) {
        return checkout.simulate().getOrDefault(COURIER, "").equals("true");
    }
}
