package io.sagaspring.entity.supported;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Converter;
import jakarta.persistence.EnumeratedValue;
import java.math.BigInteger;
import java.sql.Types;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.type.descriptor.java.AbstractClassJavaType;
import org.hibernate.usertype.UserTypeSupport;

/** Custom types of statuses, with their conversions. */
public final class StatusTypes {

    private StatusTypes() {}

    public enum Lettered {
        OPEN("CLOSED"),
        CLOSING("g"),
        CLOSED("c");

        @EnumeratedValue
        final String letter;

        Lettered(String letter) {
            this.letter = letter;
        }
    }

    public enum NumberedState {
        OPEN(-7),
        CLOSING(0),
        CLOSED(12);

        @EnumeratedValue
        final int number;

        NumberedState(int number) {
            this.number = number;
        }
    }

    public enum Autonomous {
        OPEN,
        CLOSING,
        CLOSED
    }

    @Converter
    public static class Phrases implements AttributeConverter<State, String> {

        private static final Map<State, String> PHRASES = Map.of(
                State.OPEN, "it's \"open\": ?", State.CLOSING, ":closing 100 %s \\", State.CLOSED, "$$ --closed /*");

        @Override
        public String convertToDatabaseColumn(State state) {
            return Objects.requireNonNull(PHRASES.get(state));
        }

        @Override
        public State convertToEntityAttribute(String column) {
            return PHRASES.entrySet().stream()
                    .filter(each -> each.getValue().equals(column))
                    .findFirst()
                    .orElseThrow()
                    .getKey();
        }
    }

    @Converter(autoApply = true)
    public static class AutonomousConverter implements AttributeConverter<Autonomous, BigInteger> {

        @Override
        public BigInteger convertToDatabaseColumn(Autonomous state) {
            return switch (state) {
                case OPEN -> BigInteger.TEN.negate();
                case CLOSING -> BigInteger.ZERO;
                case CLOSED -> BigInteger.TEN;
            };
        }

        @Override
        public Autonomous convertToEntityAttribute(BigInteger column) {
            return column.signum() < 0 ? Autonomous.OPEN : column.signum() > 0 ? Autonomous.CLOSED : Autonomous.CLOSING;
        }
    }

    /** A class without equals. Its converter finds the constants by their stored strings. */
    public static final class Colour {

        public static final Colour OPEN = new Colour("green");
        static final Colour CLOSING = new Colour("yellow");
        static final Colour CLOSED = new Colour("red");

        @SuppressWarnings("unused") // The library ignores this alias, because the alias is private.
        private static final Colour INITIAL = OPEN;

        final String colour;

        private Colour(String colour) {
            this.colour = colour;
        }
    }

    @Converter
    public static class ColourConverter implements AttributeConverter<Colour, String> {

        @Override
        public String convertToDatabaseColumn(Colour colour) {
            return colour.colour;
        }

        @Override
        public Colour convertToEntityAttribute(String column) {
            return switch (column.strip()) {
                case "green" -> Colour.OPEN;
                case "yellow" -> Colour.CLOSING;
                case "red" -> Colour.CLOSED;
                default -> throw new IllegalArgumentException("No colour: " + column);
            };
        }
    }

    public record Place(String name) {}

    @Converter
    public static class PlaceConverter implements AttributeConverter<Place, String> {

        @Override
        public String convertToDatabaseColumn(Place place) {
            return place.name();
        }

        @Override
        public Place convertToEntityAttribute(String column) {
            return new Place(column);
        }
    }

    public record Grade(int number) {}

    @Converter
    public static class GradeConverter implements AttributeConverter<Grade, Short> {

        @Override
        public Short convertToDatabaseColumn(Grade grade) {
            return (short) grade.number();
        }

        @Override
        public Grade convertToEntityAttribute(Short column) {
            return new Grade(column);
        }
    }

    private static String reversed(String text) {
        return new StringBuilder(text).reverse().toString();
    }

    /** A user type that declares its conversion through {@code getValueConverter}. */
    public static class Backwards extends UserTypeSupport<State> {

        public Backwards() {
            super(State.class, Types.VARCHAR);
        }

        @Override
        public AttributeConverter<State, String> getValueConverter() {
            return new Reversal();
        }
    }

    private static final class Reversal implements AttributeConverter<State, String> {

        @Override
        public String convertToDatabaseColumn(State state) {
            return reversed(state.name());
        }

        @Override
        public State convertToEntityAttribute(String column) {
            return State.valueOf(reversed(column));
        }
    }

    /** A custom Java type that stores an enum in lower case and spelled backwards. */
    public static class SpelledBackwards extends AbstractClassJavaType<State> {

        private static final long serialVersionUID = 1L;

        public SpelledBackwards() {
            super(State.class);
        }

        @Override
        public <X> X unwrap(State value, Class<X> type, WrapperOptions options) {
            return type.cast(reversed(value.name()).toLowerCase(Locale.ROOT));
        }

        @Override
        public <X> State wrap(X value, WrapperOptions options) {
            return State.valueOf(reversed((String) value).toUpperCase(Locale.ROOT));
        }
    }
}
