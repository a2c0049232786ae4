package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.shop.Courier;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;

class FailureTextTests {

    private static RuntimeException failure() {
        try {
            return new IllegalStateException(String.valueOf(Courier.ship()));
        } catch (RuntimeException failed) {
            return new StepFailedException("ship", failed.toString(), failed);
        }
    }

    @Test
    void theErrorOfARunContainsTheApplicationsStackFramesAndTheRootCause() {
        String text = FailureText.of(failure());

        assertThat(text.lines().findFirst())
                .contains(StepFailedException.class.getName() + ": Step 'ship' failed: "
                        + IllegalStateException.class.getName() + ": no courier");
        assertThat(text)
                .contains("\tat io.sagaspring.shop.Courier.ship(Courier.java:")
                .contains("\nCaused by: " + ConnectException.class.getName() + ": courier:443 refused")
                .doesNotContain("org.junit.", "java.lang.reflect", "FailureTextTests.");
    }

    @Test
    void aDeepChainOfCausesIsShortenedButKeepsItsRootCause() {
        RuntimeException failure = new IllegalArgumentException("the root");
        for (int depth = 0; depth < 1_000; depth++) {
            failure = new IllegalStateException("x".repeat(100_000), failure);
        }

        assertThat(FailureText.of(failure)).hasSizeLessThan(8_000).contains("the root");
    }

    @Test
    void theTextOfACircularChainOfCausesEnds() {
        Exception first = new IllegalStateException("first");
        Exception second = new IllegalStateException("second", first);
        first.initCause(second);

        assertThat(FailureText.of(first)).contains("first", "second");
    }

    @Test
    void anExceptionMessageThatCannotBeReadIsReportedAsSuch() {
        assertThat(FailureText.of(new IllegalStateException() {
                    @Override
                    public String getMessage() {
                        throw new UnsupportedOperationException("no message");
                    }
                }))
                .contains("which has no readable message");
    }
}
