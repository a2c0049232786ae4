package io.sagaspring.idempotency.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how values are escaped in the lines of a stored reply. */
class HttpReplyTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "text/plain;charset=UTF-8",
                "a\r\nSet-Cookie: session=1",
                "a\nb",
                "a\u0000b",
                "C:\\temp\\new",
                "\\000d",
                "gr\u00fcn \u20ac \ud83d\ude00",
                "\ud83d",
                " a: b ",
                "a\u0085b\u2028c"
            })
    void anEscapedValueIsOneLineAndIsRestoredUnchanged(String value) {
        String escaped = HttpReply.escaped(value);

        assertThat(escaped).matches("[ -~]*");
        assertThat(HttpReply.unescaped(escaped)).isEqualTo(value);
    }
}
