package io.sagaspring.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.payload.Orders.Card;
import io.sagaspring.payload.Orders.Carrier;
import io.sagaspring.payload.Orders.Order;
import io.sagaspring.payload.Orders.Parts;
import io.sagaspring.payload.Orders.Payment;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.databind.JsonNode;

/** The codec reads back every accepted value unchanged, and rejects a value that it could not read back. */
class RoundTripTests {

    private static final int LARGEST = 1_000_000;

    private final JsonPayloadCodec codec = new JsonPayloadCodec(LARGEST);

    record Keyed(Map<LocalDate, Integer> days, Map<UUID, String> ids, Map<ZonedDateTime, Integer> times) {}

    private static final ZonedDateTime BERLIN =
            ZonedDateTime.of(2026, 3, 1, 0, 30, 0, 123_456_789, ZoneId.of("Europe/Berlin"));

    static Stream<Object> values() {
        return Stream.of(
                OffsetDateTime.of(2026, 3, 1, 0, 30, 0, 1, ZoneOffset.ofHours(13)),
                OffsetDateTime.of(2026, 3, 1, 0, 30, 0, 0, ZoneOffset.UTC),
                OffsetTime.of(0, 30, 0, 0, ZoneOffset.ofHours(-3)),
                BERLIN,
                BERLIN.withZoneSameInstant(ZoneId.of("UTC")),
                BERLIN.withZoneSameInstant(ZoneOffset.UTC),
                BERLIN.withZoneSameInstant(ZoneOffset.ofHours(5)),
                Instant.parse("2026-03-01T00:00:00.123456789Z"),
                LocalDateTime.of(2026, 3, 1, 0, 30),
                LocalTime.of(23, 59, 59, 999_999_999),
                YearMonth.of(2026, 3),
                Duration.ofNanos(1),
                Period.ofMonths(14),
                ZoneId.of("Pacific/Apia"),
                ZoneOffset.ofHours(2),
                new BigDecimal("4200.00"),
                new BigDecimal("1E+3"),
                new BigInteger("9".repeat(1_000)),
                0.1f,
                1e-300,
                Double.NaN,
                Float.NEGATIVE_INFINITY,
                Long.MAX_VALUE,
                'ß',
                "\u0000 \ud83d\ude80 \u2028",
                Carrier.AIR,
                UUID.fromString("00000000-0000-4000-8000-000000000001"),
                Locale.forLanguageTag("tr-TR"),
                Currency.getInstance("CHF"),
                new Parts(
                        Optional.of("x"),
                        OptionalLong.empty(),
                        Map.of(Carrier.SEA, new BigDecimal("1.10")),
                        ' ',
                        Carrier.AIR),
                new Keyed(
                        Map.of(LocalDate.of(2026, 3, 1), 1),
                        Map.of(UUID.fromString("00000000-0000-4000-8000-000000000001"), "x"),
                        Map.of(BERLIN, 2)));
    }

    @ParameterizedTest
    @MethodSource("values")
    void aValueIsReadBackUnchanged(Object value) {
        Type type = value instanceof ZoneId && !(value instanceof ZoneOffset) ? ZoneId.class : value.getClass();

        assertThat(codec.read(codec.write(value), type)).isEqualTo(value);
    }

    @Test
    void arraysAreReadBackUnchanged() {
        assertThat(codec.read(codec.write(new byte[] {0, -1, 65}), byte[].class))
                .isEqualTo(new byte[] {0, -1, 65});
        assertThat(codec.read(codec.write(new char[] {'a', '\0'}), char[].class))
                .isEqualTo(new char[] {'a', '\0'});
    }

    @Test
    void genericTypesAreReadBackUnchanged() {
        Type times = new ParameterizedTypeReference<List<OffsetDateTime>>() {}.getType();
        List<OffsetDateTime> value = List.of(OffsetDateTime.parse("2026-03-01T00:30:00+13:00"));

        assertThat(codec.read(codec.write(value), times)).isEqualTo(value);
    }

    private static Object nested(int depth) {
        Object value = List.of();
        for (int level = 1; level < depth; level++) {
            value = List.of(value);
        }
        return value;
    }

    @Test
    void aValueNestedTooDeeplyToBeReadIsNotWritten() {
        byte[] deepest = codec.write(nested(200));

        assertThatCode(() -> codec.requireReadable(deepest)).doesNotThrowAnyException();
        assertThat(codec.read(deepest, JsonNode.class)).isNotNull();
        for (int depth : new int[] {201, 499, 600, 100_000}) {
            assertThatExceptionOfType(PayloadException.class)
                    .isThrownBy(() -> codec.write(nested(depth)))
                    .withMessageContaining("200");
        }
    }

    static Stream<Object> unreadable() {
        return Stream.of(
                new BigInteger("9".repeat(1_200)),
                new BigDecimal("0." + "7".repeat(1_200)),
                Map.of("inside", List.of(new BigInteger("9".repeat(1_200)))),
                Map.of("n".repeat(60_000), 1));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void aValueBeyondTheLimitsOfTheReaderIsRefused(Object value) {
        byte[] written = codec.write(value);

        assertThatExceptionOfType(PayloadException.class)
                .isThrownBy(() -> codec.requireReadable(written))
                .withMessageContaining("exceeds the maximum");
        assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> codec.read(written, JsonNode.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud800", "\udfff", "a\ud800b", "\udfff\ud800"})
    void anUnpairedSurrogateIsReadBackUnchanged(String text) {
        assertThat(codec.read(codec.write(text), String.class)).isEqualTo(text);
    }

    @Test
    void theMessageAboutAnUnreadableTypeDoesNotMentionAChange() {
        byte[] written = codec.write(new Order(new Card("secret-4711"), 1));

        assertThatExceptionOfType(PayloadException.class)
                .isThrownBy(() -> codec.read(written, Order.class))
                .withMessageContaining(Payment.class.getName())
                .withMessageContaining("payment")
                .withMessageNotContaining("changed")
                .withMessageNotContaining("secret-4711");
    }

    @Test
    void theMessageAboutAMismatchNamesThePlaceButNotTheValue() {
        byte[] written = codec.write(Map.of("parcels", "secret-4711"));

        assertThatExceptionOfType(PayloadException.class)
                .isThrownBy(() -> codec.read(written, Order.class))
                .withMessageContaining("parcels")
                .withMessageContaining("changed")
                .withMessageNotContaining("secret-4711");
    }
}
