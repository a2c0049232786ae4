package io.sagaspring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.idempotency.DuplicateRequestException;
import io.sagaspring.idempotency.IdempotencyKey;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyProblemAdviceTests {

    @ParameterizedTest
    @CsvSource({"PT-1S,1", "PT0S,1", "PT0.001S,1", "PT1S,1", "PT1.000001S,2", "PT4.2S,5", "PT5S,5", "PT30S,5"})
    void retryAfterIsRoundedUpAndBetweenOneAndFiveSeconds(Duration leaseLeft, String seconds) {
        DuplicateRequestException duplicate = DuplicateRequestException.of(IdempotencyKey.of("credit", "k"), leaseLeft);

        assertThat(new KeyProblemAdvice().duplicate(duplicate).getHeaders().get("Retry-After"))
                .containsExactly(seconds);
    }
}
