package io.sagaspring.idempotency.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.sagaspring.payload.PayloadException;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.StringReader;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.ByteArrayResource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.util.StdConverter;

/** Equal arguments have the same fingerprint, and different arguments have different fingerprints. */
class CanonicalJsonTests {

    sealed interface Command permits Credit, Debit {}

    record Credit(String id, int cents) implements Command {}

    record Debit(String id, int cents) implements Command {}

    record Batch(Command first, List<Command> rest) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
    @JsonSubTypes({@JsonSubTypes.Type(Cash.class), @JsonSubTypes.Type(Card.class)})
    interface Means {}

    record Cash(String id) implements Means {}

    record Card(
            String id,

            @JsonProperty(access = JsonProperty.Access.WRITE_ONLY) @Nullable
            String number) implements Means {}

    @JsonIgnoreProperties(value = "pin", allowSetters = true)
    record Login(String user, String pin) {}

    /** A class without a getter. */
    static class Opaque {
        @SuppressWarnings("unused") // Jackson reads this field.
        private final String secret;

        Opaque(String secret) {
            this.secret = secret;
        }
    }

    @Test
    void valuesOfDifferentClassesAreWrittenDifferently() {
        assertThat(text(new Credit("7", 5), Command.class)).isNotEqualTo(text(new Debit("7", 5), Command.class));
        assertThat(text(new Credit("7", 5), Object.class)).isNotEqualTo(text(new Debit("7", 5), Object.class));
        assertThat(text(new Cash("7"), Means.class)).isNotEqualTo(text(new Card("7", null), Means.class));
    }

    @Test
    void nestedValuesOfDifferentClassesAreWrittenDifferently() {
        Credit credit = new Credit("7", 5);
        Debit debit = new Debit("7", 5);
        Type list = new ParameterizedTypeReference<List<Command>>() {}.getType();
        Type map = new ParameterizedTypeReference<Map<String, Command>>() {}.getType();
        Type optional = new ParameterizedTypeReference<Optional<Command>>() {}.getType();

        assertThat(text(List.of(credit), list)).isNotEqualTo(text(List.of(debit), list));
        assertThat(text(List.of(credit), Object.class)).isNotEqualTo(text(List.of(debit), Object.class));
        assertThat(text(Map.of("a", credit), map)).isNotEqualTo(text(Map.of("a", debit), map));
        assertThat(text(Optional.of(credit), optional)).isNotEqualTo(text(Optional.of(debit), optional));
        assertThat(text(new Command[] {credit}, Command[].class))
                .isNotEqualTo(text(new Command[] {debit}, Command[].class));
        assertThat(text(new Batch(credit, List.of(credit)), Batch.class))
                .isNotEqualTo(text(new Batch(debit, List.of(credit)), Batch.class))
                .isNotEqualTo(text(new Batch(credit, List.of(debit)), Batch.class));
    }

    /** If the declared type allows only one class, renaming this class must not change the fingerprint. */
    @Test
    void aClassThatTheDeclaredTypeDeterminesIsNotWritten() {
        assertThat(text(new Credit("7", 5), Credit.class)).isEqualTo("{\"cents\":5,\"id\":\"7\"}");
        assertThat(text("7", String.class)).isEqualTo("\"7\"");
        assertThat(text(7, int.class)).isEqualTo("7");
        assertThat(text(null, String.class)).isEqualTo("null");
    }

    @Test
    void aWriteOnlyPropertyDistinguishesValues() {
        assertThat(text(new Card("7", "4111"), Card.class)).isNotEqualTo(text(new Card("7", "5500"), Card.class));
        assertThat(text(new Login("7", "1"), Login.class)).isNotEqualTo(text(new Login("7", "2"), Login.class));
        assertThat(text(new Opaque("1"), Opaque.class)).isNotEqualTo(text(new Opaque("2"), Opaque.class));
    }

    @Test
    void equalSetsAndListsAreWrittenEquallyWhateverTheirClass() {
        Type set = new ParameterizedTypeReference<Set<String>>() {}.getType();
        Set<String> one = new LinkedHashSet<>(List.of("a", "b", "c"));
        Set<String> other = new LinkedHashSet<>(List.of("c", "b", "a"));
        for (Type declared : List.of(set, Set.class, Collection.class, Object.class)) {
            assertThat(text(one, declared))
                    .isEqualTo(text(other, declared))
                    .isEqualTo(text(new TreeSet<>(one), declared))
                    .isNotEqualTo(text(Set.of("a", "b"), declared));
        }
        assertThat(text(Set.of(one, Set.of("d")), Object.class))
                .isEqualTo(text(Set.of(other, Set.of("d")), Object.class));
        assertThat(text(List.of("a"), Object.class)).isEqualTo(text(new ArrayList<>(List.of("a")), Object.class));
        assertThat(text(List.of("a"), List.class)).isEqualTo(text(Arrays.asList("a"), List.class));
        assertThat(text(List.of("a", "b"), List.class)).isNotEqualTo(text(List.of("b", "a"), List.class));
        assertThat(text(List.of("a"), Object.class)).isNotEqualTo(text(Set.of("a"), Object.class));
    }

    @Test
    void equalMapsAreWrittenEquallyWhateverTheirOrder() {
        Map<String, Integer> one = new LinkedHashMap<>();
        one.put("a", 1);
        one.put("b", 2);
        Map<String, Integer> other = new LinkedHashMap<>();
        other.put("b", 2);
        other.put("a", 1);

        assertThat(text(one, Map.class)).isEqualTo(text(other, Map.class));
        assertThat(text(one, Object.class)).isEqualTo(text(Collections.unmodifiableMap(other), Object.class));
    }

    enum Colour {
        RED,
        GREEN {
            @Override
            public String toString() {
                return "green";
            }
        }
    }

    @Test
    void commonTypesCanBeWritten() {
        for (Object each : List.of(
                new BigDecimal("1.50"),
                Instant.EPOCH,
                ZoneId.of("Europe/Vienna"),
                Colour.GREEN,
                Set.of(Colour.RED, Colour.GREEN),
                new byte[] {1},
                new int[] {1},
                Optional.of("x"),
                java.util.UUID.randomUUID(),
                java.util.Locale.ROOT,
                ResolvableType.class)) {
            assertThat(text(each, each.getClass())).isEqualTo(text(each, each.getClass()));
            assertThat(text(each, Object.class)).isEqualTo(text(each, Object.class));
        }
        List<@Nullable Object> gap = new ArrayList<>();
        gap.add(null);
        assertThat(text(gap, List.class)).isEqualTo("[null]");
    }

    static class Loop {
        Loop self = this;
    }

    @Test
    void theMessageNamesTheTypeOfAnUnwritableValue() {
        assertThatExceptionOfType(PayloadException.class)
                .isThrownBy(() -> text(new Loop(), Loop.class))
                .withMessageContaining("A value of type " + Loop.class.getName() + " cannot be written");
    }

    static class Masked extends ValueSerializer<Object> {
        @Override
        public void serialize(Object value, JsonGenerator json, SerializationContext context) {
            json.writeString("****");
        }
    }

    static class Shortened extends StdConverter<String, String> {
        @Override
        public String convert(String value) {
            return value.substring(0, 1);
        }
    }

    static class Account {
        @SuppressWarnings("unused") // Jackson reads this field.
        private final String number;

        Account(String number) {
            this.number = number;
        }
    }

    static class Savings extends Account {
        @SuppressWarnings("unused") // Jackson reads this field.
        private final String rate;

        Savings(String rate) {
            super("7");
            this.rate = rate;
        }
    }

    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.NONE)
    static class Shy extends Account {
        Shy(String number) {
            super(number);
        }
    }

    record Cards(@JsonSerialize(contentUsing = Masked.class) List<String> numbers) {}

    record ByCard(@JsonSerialize(keyUsing = Masked.class) Map<String, Integer> cents) {}

    record Shortening(
            @JsonSerialize(converter = Shortened.class) String name) {}

    record Month(
            @JsonFormat(shape = JsonFormat.Shape.STRING, pattern = "yyyy-MM")
            LocalDate day) {}

    record Of(@JsonSerialize(as = Account.class) Account account) {}

    record Empty(@JsonInclude(JsonInclude.Include.NON_EMPTY) String text) {}

    enum Size {
        SMALL,
        LARGE;

        @Override
        public String toString() {
            return "a size";
        }
    }

    static Stream<Arguments> differentPairs() {
        return Stream.of(
                arguments(new Cards(List.of("4111")), new Cards(List.of("5500"))),
                arguments(new ByCard(Map.of("4111", 1)), new ByCard(Map.of("5500", 1))),
                arguments(new Shortening("abc"), new Shortening("axy")),
                arguments(new Month(LocalDate.of(2026, 1, 1)), new Month(LocalDate.of(2026, 1, 2))),
                arguments(new Of(new Savings("1")), new Of(new Savings("2"))),
                arguments(new Of(new Savings("1")), new Of(new Account("7"))),
                arguments(new Shy("1"), new Shy("2")),
                arguments(Size.SMALL, Size.LARGE),
                arguments(Map.of(Size.SMALL, 1), Map.of(Size.LARGE, 1)),
                arguments(
                        ZonedDateTime.of(2026, 1, 1, 0, 0, 0, 0, ZoneId.of("Europe/Vienna")),
                        ZonedDateTime.of(2026, 1, 1, 0, 0, 0, 0, ZoneId.of("Europe/Paris"))),
                arguments(new Empty(""), new Empty(" ")));
    }

    @ParameterizedTest
    @MethodSource("differentPairs")
    void differentValuesAreWrittenDifferentlyDespiteTheirJacksonMapping(Object one, Object other) {
        assertThat(text(one, Object.class)).isNotEqualTo(text(other, Object.class));
        assertThat(text(one, one.getClass())).isNotEqualTo(text(other, one.getClass()));
    }

    record Upload(String name, Object content) {}

    record Nothing() {}

    static final class Stateless {}

    static class Silent {
        @SuppressWarnings("unused") // Jackson does not read this field.
        private final transient String secret = "";
    }

    static class Piped extends FilterInputStream {
        Piped() {
            super(new ByteArrayInputStream(new byte[0]));
        }
    }

    interface Amount {
        int cents();
    }

    static Stream<Object> opaqueValues() {
        String captured = "x".repeat(new Random().nextInt(1, 3));
        Supplier<String> capturing = () -> captured;
        Supplier<String> constant = () -> "x";
        Iterable<String> elements = () -> Stream.of("x").iterator();
        Callable<Integer> reference = captured::length;
        Object anonymous = new Object() {
            @Override
            public String toString() {
                return captured;
            }
        };
        Object proxy = Proxy.newProxyInstance(
                CanonicalJsonTests.class.getClassLoader(), new Class<?>[] {Amount.class}, (self, method, all) -> 1);
        return Stream.of(
                new ByteArrayInputStream(new byte[] {1}),
                new StringReader("1"),
                new Piped(),
                BitSet.valueOf(new long[] {1}),
                new ByteArrayResource(new byte[] {1}),
                new Object(),
                new Thread(),
                new IllegalStateException("1"),
                new Silent(),
                elements,
                capturing,
                constant,
                reference,
                anonymous,
                proxy,
                List.of("a").iterator(),
                Stream.of("a"),
                IntStream.of(1));
    }

    /** JSON does not show the content of these values, so two different values would look equal. */
    @ParameterizedTest
    @MethodSource("opaqueValues")
    void aValueNotFullyShownByJsonIsRefused(Object value) {
        List<@Nullable Object> places = List.of(
                value,
                new Upload("a", value),
                new Object[] {value},
                List.of(value),
                Set.of(value),
                Map.of("a", value),
                Optional.of(value));
        for (Object place : places) {
            for (Type declared : List.of(Object.class, place.getClass())) {
                assertThatExceptionOfType(PayloadException.class)
                        .as("%s as %s", place.getClass(), declared)
                        .isThrownBy(() -> text(place, declared));
            }
        }
    }

    @Test
    void aMapKeyWithoutADistinctTextIsRefused() {
        for (Object key : List.of(new Opaque("1"), new int[] {1})) {
            assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> text(Map.of(key, 1), Map.class));
        }
        assertThat(text(Map.of(new Credit("7", 5), 1), Map.class))
                .isNotEqualTo(text(Map.of(new Credit("7", 6), 1), Map.class));
    }

    /** A type without fields has no content that could differ. */
    @Test
    void anEmptyTypeCanBeWritten() {
        for (Object each : List.of(new Nothing(), new Stateless())) {
            assertThat(text(each, Object.class)).contains(each.getClass().getName());
            assertThat(text(each, each.getClass())).isEqualTo("{}");
        }
    }

    private static String text(@Nullable Object value, Type declared) {
        return new String(CanonicalJson.write(value, declared), StandardCharsets.UTF_8);
    }
}
