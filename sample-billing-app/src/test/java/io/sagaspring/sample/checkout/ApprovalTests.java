package io.sagaspring.sample.checkout;

import static io.sagaspring.sample.checkout.CheckoutCalls.APPLIED;
import static io.sagaspring.sample.checkout.CheckoutCalls.BY_HIMSELF;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import io.sagaspring.sample.SampleTest;
import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** A large checkout waits for an approval, and a small checkout does not. */
@SampleTest
class ApprovalTests {

    private final Api api;
    private final CheckoutCalls checkouts;

    ApprovalTests(@LocalServerPort int port, @Autowired TestDatabase database) {
        this.api = new Api(port);
        this.checkouts = new CheckoutCalls(api, database);
    }

    @Test
    void aLargeCheckoutWaitsForItsApproval() {
        String checkout = checkouts.start("large", 100_000, BY_HIMSELF).location();
        await().atMost(30, SECONDS).until(() -> checkouts.steps(checkout).contains("approval waiting 1"));
        assertThat(checkouts.kinds("large")).containsExactly("charge", "reserve", "ship");

        Answer approved = checkouts.approve(checkout, "approved", "Idempotency-Key", "a-1");
        Answer again = checkouts.approve(checkout, "approved", "Idempotency-Key", "a-1");
        Answer ended = api.get(checkout + "?await=PT30S");
        Answer late = checkouts.approve(checkout, "approved");

        assertThat(List.of(approved.status(), again.status(), late.status())).containsOnly(202);
        assertThat(approved.body().propertyNames()).containsExactly("executionId", "state");
        assertThat(ended.text("state")).isEqualTo("completed");
        assertThat(ended.body().at("/context/approval").toString())
                .isEqualTo("{\"approvedBy\":\"ada\",\"decision\":\"approved\"}");
        assertThat(checkouts.kinds("large")).containsExactly("charge", "reserve", "ship", "email");
    }

    @Test
    void anEarlyApprovalIsStoredUntilTheCheckoutReachesTheStep() {
        String checkout = checkouts.awaitCourier(checkouts.start("early", 250_000, ""));

        assertThat(checkouts
                        .approve(checkout, "approved", "Idempotency-Key", "a-1")
                        .status())
                .isEqualTo(202);
        assertThat(checkouts.call(checkout, "complete", "{}").raw()).isEqualTo(APPLIED);

        assertThat(api.get(checkout + "?await=PT30S").text("state")).isEqualTo("completed");
    }

    @Test
    void aRejectedLargeCheckoutIsCompensated() {
        String checkout = checkouts.start("rejected", 100_000, BY_HIMSELF).location();
        await().atMost(30, SECONDS).until(() -> checkouts.steps(checkout).contains("approval waiting 1"));

        assertThat(checkouts.approve(checkout, "rejected").status()).isEqualTo(202);

        assertThat(api.get(checkout + "?await=PT30S").text("state")).isEqualTo("cancelled");
        assertThat(checkouts.kinds("rejected"))
                .containsExactly("charge", "reserve", "ship", "cancel_shipment", "release", "refund");
    }

    @Test
    void aSmallCheckoutNeedsNoApproval() {
        String checkout = checkouts.start("small", 99_999, BY_HIMSELF).location();

        assertThat(checkouts.approve(checkout, "approved").status()).isEqualTo(202);

        assertThat(api.get(checkout + "?await=PT30S").text("state")).isEqualTo("completed");
        assertThat(checkouts.steps(checkout)).noneMatch(step -> step.startsWith("approval"));
        assertThat(api.get(checkout).body().path("context").has("approval")).isFalse();
    }
}
