package io.sagaspring.sample.checkout;

import io.sagaspring.saga.StepContext;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * Trouble on demand, so that retries, undos and crashes can be seen from outside: it comes before the effect of a step, or
 * of its undo, so that an attempt that fails has had none.
 */
final class Trouble {

    private static final String COURIER = "auto_courier";
    private static final Pattern FAIL = Pattern.compile("fail:(always|\\d{1,9})");
    private static final Pattern DELAY = Pattern.compile("delay:(\\d{1,9})");
    private static final Set<String> WHERE = Set.of(
            "charge_card",
            "refund_payment",
            "reserve_stock",
            "release_stock",
            "arrange_fulfillment",
            "cancel_shipment",
            "send_receipt");

    private Trouble() {}

    /** Refuses, with a sentence, what nobody could act on. */
    static Map<String, String> require(Map<String, String> simulate) {
        simulate.forEach((where, what) -> {
            String said = String.valueOf(what);
            boolean isKnown = where.equals(COURIER)
                    ? said.equals("true") || said.equals("false")
                    : WHERE.contains(where)
                            && (FAIL.matcher(said).matches()
                                    || DELAY.matcher(said).matches());
            if (!isKnown) {
                throw refused(where, said);
            }
        });
        return Map.copyOf(simulate);
    }

    private static ErrorResponseException refused(String where, String what) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(
                HttpStatus.BAD_REQUEST,
                "Simulated are fail:N, fail:always or delay:MILLIS in one of %s, and %s, which is true or false: '%s' of '%s' does not fit."
                        .formatted(String.join(", ", WHERE.stream().sorted().toList()), COURIER, what, where));
        return new ErrorResponseException(HttpStatus.BAD_REQUEST, problem, null);
    }

    /** Makes the trouble that was asked for, if any. */
    static void before(String where, StepContext<Checkout> context) throws InterruptedException {
        String what = context.input().simulate().getOrDefault(where, "");
        Matcher delay = DELAY.matcher(what);
        if (delay.matches()) {
            Thread.sleep(Long.parseLong(delay.group(1)));
        }
        Matcher fail = FAIL.matcher(what);
        if (fail.matches()
                && (fail.group(1).equals("always") || context.attempt() <= Integer.parseInt(fail.group(1)))) {
            throw new TroubleException("Attempt %d of %s was to fail.".formatted(context.attempt(), where));
        }
    }

    static boolean isDeliveredByTheCourierHimself(Checkout checkout) {
        return checkout.simulate().getOrDefault(COURIER, "").equals("true");
    }
}
