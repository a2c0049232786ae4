package io.sagaspring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which parts a key accepts, and which parts distinguish two keys. */
class IdempotencyKeyTests {

    private static final IdempotencyKey KEY =
            IdempotencyKey.of("pay", "request-1").ownedBy("ada").onAccount("7");

    enum Part {
        OWNER("owner") {
            @Override
            IdempotencyKey of(String text) {
                return KEY.ownedBy(text);
            }
        },
        ACCOUNT("account") {
            @Override
            IdempotencyKey of(String text) {
                return KEY.onAccount(text);
            }
        },
        OPERATION("operation") {
            @Override
            IdempotencyKey of(String text) {
                return IdempotencyKey.of(text, "request-1");
            }
        },
        REQUEST_ID("request id") {
            @Override
            IdempotencyKey of(String text) {
                return IdempotencyKey.of("pay", text);
            }
        };

        private final String name;

        Part(String name) {
            this.name = name;
        }

        abstract IdempotencyKey of(String text);
    }

    @ParameterizedTest
    @EnumSource
    void aKeyRefusesEmptyTooLongAndUnprintableParts(Part part) {
        String longest = "k".repeat(255);

        assertThatCode(() -> part.of(longest)).doesNotThrowAnyException();
        assertRefused(part, longest + "k", "has 256 characters. At most 255 are allowed");
        assertRefused(part, "", "is empty");
        assertRefused(part, " ", "is empty");
        assertRefused(part, "a\nb", "contains control characters");
        assertRefused(part, "a\u0000b", "contains control characters");
    }

    private static void assertRefused(Part part, String text, String sentence) {
        assertThatExceptionOfType(InvalidKeyException.class)
                .isThrownBy(() -> part.of(text))
                .withMessageContaining("The %s of an idempotency key %s", part.name, sentence);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", " a", "a\u00a0b", "schl\u00fcssel", "\ud83d\ude00"})
    void onlyTheRequestIdIsLimitedToVisibleAscii(String text) {
        assertThatExceptionOfType(InvalidKeyException.class)
                .isThrownBy(() -> IdempotencyKey.of("pay", text))
                .withMessageContaining("ASCII letters, digits and punctuation only");
        assertThatCode(() -> IdempotencyKey.of(text, "!~").ownedBy(text).onAccount(text))
                .doesNotThrowAnyException();
    }

    /**
     * The id is a digest of all parts. The digest includes the length of each part, so that the boundaries between the
     * parts matter.
     */
    @Test
    void differentKeysHaveDifferentIds() {
        Set<Fingerprint> ids = new HashSet<>();
        List<IdempotencyKey> keys = List.of(
                KEY,
                KEY.ownedBy("adap"),
                KEY.changingAccount(),
                KEY.ownedBy("ada=7").changingAccount(),
                KEY.ownedBy("ada=").onAccount("7"),
                KEY.onAccount("7request-1"),
                IdempotencyKey.of("1pay", "request-").ownedBy("ada").onAccount("7"),
                IdempotencyKey.of("pay", "7request-1").ownedBy("ada").changingAccount(),
                IdempotencyKey.of("refund", "request-1").ownedBy("ada").onAccount("7"),
                KEY.ownedBy("\u00e4"),
                KEY.ownedBy("\u00fc"));
        keys.forEach(key -> ids.add(Fingerprint.of(key.id(null))));

        assertThat(ids).hasSameSizeAs(keys);
        assertThat(Fingerprint.of("ab", "c")).isNotEqualTo(Fingerprint.of("a", "bc"));
    }

    @Test
    void theKeyOfAnAccountChangingOperationOmitsTheAccount() {
        assertThat(KEY.changingAccount().onAccount("8").id(null))
                .isEqualTo(KEY.changingAccount().id(null));
        assertThat(KEY.onAccount("8").id(null)).isNotEqualTo(KEY.id(null));
    }

    @Test
    void aRequestIdDoesNotAppearInMessages() {
        assertThat(KEY.toString()).contains("pay", "ada", "7").doesNotContain("request-1");
        assertThat(List.of(
                        DuplicateRequestException.of(KEY, Duration.ZERO),
                        new KeyReusedException(KEY),
                        new SupersededException(KEY),
                        new InsideTransactionException(KEY),
                        new InsideStepException(KEY)))
                .extracting(Throwable::getMessage)
                .allMatch(message -> message.contains("ada"))
                .noneMatch(message -> message.contains("request-1"));
    }

    @Test
    void noUserNameIsMistakenForAMissingOwner() {
        assertThat(IdempotencyKey.named(null)).isEqualTo(IdempotencyKey.NONE);
        assertThat(List.of("-", "--", "a-", "-a", "a").stream().map(IdempotencyKey::named))
                .containsExactly("--", "---", "a-", "-a", "a");
    }
}
