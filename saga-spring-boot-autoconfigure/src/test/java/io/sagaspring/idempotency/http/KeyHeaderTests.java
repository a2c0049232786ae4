package io.sagaspring.idempotency.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.sagaspring.idempotency.InvalidKeyException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which values of the header are keys, and which are refused. */
class KeyHeaderTests {

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            quoteCharacter = '\'',
            value = {
                "abc abc",
                "\"abc\" abc",
                "\"a\\\"b\" a\"b",
                "\"a\\\\b\" a\\b",
                "a\\b a\\b",
                "\"a,b;c\" a,b;c",
                "8e03978e-40d5-43e8-bc93-6894a57f9324 8e03978e-40d5-43e8-bc93-6894a57f9324",
                "dGVzdA==/+:~ dGVzdA==/+:~"
            })
    void aKeyIsTheSameWithAndWithoutQuotes(String sent, String key) {
        assertThat(KeyHeader.parse(List.of(sent))).isEqualTo(key);
    }

    @Test
    void blanksAroundAKeyAreIgnored() {
        assertThat(KeyHeader.parse(List.of(" \t\"abc\" "))).isEqualTo("abc");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "\"\""})
    void anEmptyKeyIsRefused(String sent) {
        assertRefused("is empty", sent);
    }

    @Test
    void aRequestWithTwoKeysIsRefused() {
        assertRefused("sent 2 times", "abc", "abc");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\""})
    void theLongestKeyHas255Characters(String quote) {
        String longest = "k".repeat(255);
        assertThat(KeyHeader.parse(List.of(quote + longest + quote))).isEqualTo(longest);
        assertRefused("has 256 characters. At most 255 are allowed", quote + longest + "k" + quote);
    }

    /** Reading each of a million blanks once takes milliseconds. Starting a search at each of them would take hours. */
    @ParameterizedTest
    @ValueSource(strings = {"a%sb", "\"a%sb\"", "%s\"a", "\"%s"})
    void aLongHeaderIsRefusedInLinearTime(String sent) {
        String blanks = " ".repeat(1_000_000);
        assertTimeoutPreemptively(
                Duration.ofSeconds(10),
                () -> assertThatExceptionOfType(InvalidKeyException.class)
                        .isThrownBy(() -> KeyHeader.parse(List.of(sent.replace("%s", blanks)))));
    }

    @Test
    void everyCharacterOfTheLongestKeyMayBeEscaped() {
        String longest = "\\".repeat(255);
        assertThat(KeyHeader.parse(List.of("  \"" + longest.repeat(2) + "\"\t")))
                .isEqualTo(longest);
        assertRefused("has 513 characters", "\"" + "\\\"".repeat(255) + "k\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\tb", "a\u0000b", "a\nb", "a\rb", "a\u007fb", "a\u0085b", "\"a\tb\""})
    void aKeyWithControlCharactersIsRefused(String sent) {
        assertRefused("contains control characters", sent);
    }

    @ParameterizedTest
    @ValueSource(strings = {"schl\u00fcssel", "\u043a\u043b\u044e\u0447", "a b", "\"a b\"", "a\u00a0b", "\u00a0"})
    void aKeyWithBlanksOrNonAsciiCharactersIsRefused(String sent) {
        assertRefused("ASCII letters, digits and punctuation only", sent);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a,b", "a, b", "a;b", "a\"b", "abc\""})
    void aKeyWithASeparatorOrAQuoteMustBeQuoted(String sent) {
        assertRefused("must be in quotes", sent);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"abc", "\"", "\"abc\"d", "\"abc\", \"def\"", "\"abc\";p=1", "\"a\"b\""})
    void aQuotedKeyThatDoesNotEndWithTheNextQuoteIsRefused(String sent) {
        assertRefused("must end with the next quote", sent);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"a\\b\"", "\"a\\", "\"a\\n\""})
    void aBackslashEscapesOnlyQuotesAndBackslashes(String sent) {
        assertRefused("a backslash is only allowed before", sent);
    }

    private static void assertRefused(String sentence, String... sent) {
        assertThatExceptionOfType(InvalidKeyException.class)
                .isThrownBy(() -> KeyHeader.parse(List.of(sent)))
                .withMessageContaining(sentence);
    }
}
