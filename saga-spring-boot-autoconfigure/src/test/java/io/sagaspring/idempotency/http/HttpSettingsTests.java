package io.sagaspring.idempotency.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpSettingsTests {

    @Test
    void headersThatDescribeTheBodyAreAlwaysReplayed() {
        assertThat(new HttpSettings(1, 1, Set.of("ETag")).headers())
                .containsExactlyInAnyOrder("ETag", "Content-Type", "Content-Encoding");
    }

    @Test
    void headerNamesAreComparedWithoutCase() {
        assertThat(new HttpSettings(1, 1, Set.of("content-type", "etag", "ETag")).headers())
                .hasSize(3);
    }

    @Test
    void cookiesAreNotReplayedByDefault() {
        assertThat(new HttpSettings(1, 1, HttpSettings.DEFAULT_HEADERS).headers())
                .doesNotContain("Set-Cookie")
                .contains("Location", "ETag", "Content-Language", "Content-Disposition", "Cache-Control", "Link");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a:b", "a\nb", "Content-Length", "transfer-encoding", "Idempotent-Replayed"})
    void anUnreplayableHeaderIsRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new HttpSettings(1, 1, Set.of(name)))
                .withMessageStartingWith("The header '" + name + "' cannot be replayed");
    }

    @ParameterizedTest
    @CsvSource({"0,1", "1,0", "-1,1"})
    void sizesMustBePositive(int request, int reply) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new HttpSettings(request, reply, Set.of()))
                .withMessageContaining("must be at least 1 byte");
    }
}
