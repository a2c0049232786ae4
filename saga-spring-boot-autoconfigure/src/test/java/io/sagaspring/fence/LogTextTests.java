package io.sagaspring.fence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text from outside the library stays on one line of the log. */
class LogTextTests {

    private static final String FORGED = "7\r\n2026-11-23 INFO admin logged in\t\u001b[31m";
    private static final String ONE_LINE = "7\\r\\n2026-11-23 INFO admin logged in\\t\\u001b[31m";

    @Test
    void lineBreaksAndEscapeSequencesAreEscaped() {
        assertThat(LogText.of(FORGED)).isEqualTo(ONE_LINE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 0x0b, 0x7f, 0x85, 0x9b, 0x2028, 0x2029, 0x202e, 0x2066})
    void controlCharactersLineSeparatorsAndDirectionMarksAreEscaped(int character) {
        assertThat(LogText.of("a" + (char) character + "b"))
                .isEqualTo("a\\u" + String.format(Locale.ROOT, "%04x", character) + "b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "7", "Müller & Söhne", "\ud83d\ude80", "a\\nb"})
    void harmlessTextIsNotChanged(String text) {
        assertThat(LogText.of(text)).isSameAs(text);
    }

    @Test
    void aLongTextIsTruncated() {
        assertThat(LogText.of("x".repeat(LogText.LONGEST))).hasSize(LogText.LONGEST);
        assertThat(LogText.of("x".repeat(LogText.LONGEST + 1))).isEqualTo("x".repeat(LogText.LONGEST) + "…");
    }

    @Test
    void aMissingTextIsWrittenAsNull() {
        assertThat(LogText.of(null)).isEqualTo("null");
    }

    @Test
    void aHeldLeaseIsWrittenOnOneLine() {
        assertThat(new HeldLease(FORGED, FORGED, new FencingToken(1)))
                .hasToString("%s %s (token 1)".formatted(ONE_LINE, ONE_LINE));
    }

    @Test
    void theMessageAboutAnUnknownOutcomeIsOnOneLine() {
        assertThat(new OutcomeUnknownException("Claiming " + FORGED, null))
                .hasMessageStartingWith("Claiming " + ONE_LINE + ": the connection broke");
    }
}
