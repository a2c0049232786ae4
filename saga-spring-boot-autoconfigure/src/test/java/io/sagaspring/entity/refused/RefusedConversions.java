package io.sagaspring.entity.refused;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Convert;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Lob;
import jakarta.persistence.Version;
import java.time.LocalDate;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Entities whose statuses are refused because of their conversion. */
public final class RefusedConversions {

    private RefusedConversions() {}

    @Converter
    public static class ByFirstLetter implements AttributeConverter<State, String> {

        @Override
        public String convertToDatabaseColumn(State state) {
            return state.name().substring(0, 1);
        }

        @Override
        public State convertToEntityAttribute(String column) {
            return column.equals("O") ? State.OPEN : State.CLOSED;
        }
    }

    /** Stores two strings that differ only by a blank, which a column of fixed width drops. */
    @Converter
    public static class ByBlank implements AttributeConverter<State, String> {

        @Override
        public String convertToDatabaseColumn(State state) {
            return state == State.OPEN ? "o" : state == State.CLOSED ? "c" : "c ";
        }

        @Override
        public State convertToEntityAttribute(String column) {
            return column.equals("o") ? State.OPEN : column.equals("c") ? State.CLOSED : State.CLOSING;
        }
    }

    @Converter
    public static class OpenAsNull implements AttributeConverter<State, String> {

        @Override
        public @Nullable String convertToDatabaseColumn(State state) {
            return state == State.OPEN ? null : state.name();
        }

        @Override
        public State convertToEntityAttribute(@Nullable String column) {
            return column == null ? State.OPEN : State.valueOf(column);
        }
    }

    /** A class whose constants cannot all be converted. */
    public record Partial(String name) {

        static final Partial OPEN = new Partial("OPEN");
        static final Partial CLOSING = new Partial("CLOSING");
        static final Partial CLOSED = new Partial("CLOSED");
    }

    @Converter
    public static class Failing implements AttributeConverter<Partial, String> {

        @Override
        public String convertToDatabaseColumn(Partial partial) {
            if (partial.equals(Partial.CLOSING)) {
                throw new IllegalArgumentException("CLOSING is not for the database");
            }
            return partial.name();
        }

        @Override
        public Partial convertToEntityAttribute(String column) {
            if (column.equals("CLOSED")) {
                throw new IllegalStateException("CLOSED is not from the database");
            }
            return new Partial(column);
        }
    }

    /** A class with two names for one constant. */
    public record Aliased(String letter) {

        static final Aliased OPEN = new Aliased("o");
        static final Aliased CLOSING = new Aliased("g");
        static final Aliased CLOSED = new Aliased("c");
        static final Aliased INITIAL = OPEN;
    }

    @Converter
    public static class AliasedConverter implements AttributeConverter<Aliased, String> {

        @Override
        public String convertToDatabaseColumn(Aliased aliased) {
            return aliased.letter();
        }

        @Override
        public Aliased convertToEntityAttribute(String column) {
            return new Aliased(column);
        }
    }

    @Converter
    public static class Forgetting implements AttributeConverter<State, Integer> {

        @Override
        public Integer convertToDatabaseColumn(State state) {
            return state == State.OPEN ? 0 : state == State.CLOSING ? 1 : 2;
        }

        @Override
        public State convertToEntityAttribute(Integer column) {
            return column == 2 ? State.CLOSED : State.OPEN;
        }
    }

    @Converter
    public static class ByDay implements AttributeConverter<State, LocalDate> {

        @Override
        public LocalDate convertToDatabaseColumn(State state) {
            return LocalDate.of(2000, 1, state.name().length());
        }

        @Override
        public State convertToEntityAttribute(LocalDate column) {
            return column.getDayOfMonth() == 4 ? State.OPEN : State.CLOSED;
        }
    }

    /** A class whose constants are all equal. */
    @SuppressWarnings("EqualsHashCode") // The test needs this fault.
    public static final class Same {

        static final Same OPEN = new Same("o");
        static final Same CLOSING = new Same("g");
        static final Same CLOSED = new Same("c");

        final String letter;

        Same(String letter) {
            this.letter = letter;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Same;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    @Converter
    public static class SameConverter implements AttributeConverter<Same, String> {

        @Override
        public String convertToDatabaseColumn(Same same) {
            return same.letter;
        }

        @Override
        public Same convertToEntityAttribute(String column) {
            return new Same(column);
        }
    }

    /** A class without equals. Each read creates a new object. */
    public static final class Fresh {

        static final Fresh OPEN = new Fresh("o");
        static final Fresh CLOSING = new Fresh("g");
        static final Fresh CLOSED = new Fresh("c");

        final String letter;

        Fresh(String letter) {
            this.letter = letter;
        }

        @Override
        public String toString() {
            return "Fresh";
        }
    }

    @Converter
    public static class FreshConverter implements AttributeConverter<Fresh, String> {

        @Override
        public String convertToDatabaseColumn(Fresh fresh) {
            return fresh.letter;
        }

        @Override
        public Fresh convertToEntityAttribute(String column) {
            return new Fresh(column);
        }
    }

    public record Label(String text) {}

    /** Stores strings in lower case, and cannot convert every string. */
    @Converter
    public static class LowerCase implements AttributeConverter<Label, String> {

        @Override
        public String convertToDatabaseColumn(Label label) {
            return label.text().toLowerCase(Locale.ROOT);
        }

        @Override
        public Label convertToEntityAttribute(String column) {
            if (column.equals("CLOSED")) {
                throw new IllegalArgumentException("no such label");
            }
            return new Label(column);
        }
    }

    public record Level(int number) {}

    @Converter
    public static class LevelConverter implements AttributeConverter<Level, Integer> {

        @Override
        public Integer convertToDatabaseColumn(Level level) {
            return level.number();
        }

        @Override
        public Level convertToEntityAttribute(Integer column) {
            return new Level(column);
        }
    }

    @Entity(name = "Lettered")
    public static class Lettered {
        @Id
        Long id = 0L;

        @Convert(converter = ByFirstLetter.class)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "Blank")
    public static class Blank {
        @Id
        Long id = 0L;

        @Convert(converter = ByBlank.class)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "Nulled")
    public static class Nulled {
        @Id
        Long id = 0L;

        @Convert(converter = OpenAsNull.class)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "AllFailed")
    public static class AllFailed {
        @Id
        Long id = 0L;

        @Convert(converter = Failing.class)
        Partial status = Partial.OPEN;

        @Version
        long version;
    }

    @Entity(name = "Forgotten")
    public static class Forgotten {
        @Id
        Long id = 0L;

        @Convert(converter = Forgetting.class)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "Dated")
    public static class Dated {
        @Id
        Long id = 0L;

        @Convert(converter = ByDay.class)
        State status = State.OPEN;

        @Version
        long version;
    }

    @Entity(name = "AllSame")
    public static class AllSame {
        @Id
        Long id = 0L;

        @Convert(converter = SameConverter.class)
        Same status = Same.OPEN;

        @Version
        long version;
    }

    @Entity(name = "AllFresh")
    public static class AllFresh {
        @Id
        Long id = 0L;

        @Convert(converter = FreshConverter.class)
        Fresh status = Fresh.OPEN;

        @Version
        long version;
    }

    @Entity(name = "AllAliased")
    public static class AllAliased {
        @Id
        Long id = 0L;

        @Convert(converter = AliasedConverter.class)
        Aliased status = Aliased.OPEN;

        @Version
        long version;
    }

    @Entity(name = "Labelled")
    public static class Labelled {
        @Id
        Long id = 0L;

        @Convert(converter = LowerCase.class)
        Label status = new Label("open");

        @Version
        long version;
    }

    @Entity(name = "Levelled")
    public static class Levelled {
        @Id
        Long id = 0L;

        @Convert(converter = LevelConverter.class)
        Level status = new Level(1);

        @Version
        long version;
    }

    @Entity(name = "Large")
    public static class Large {
        @Id
        Long id = 0L;

        @Lob
        String status = "OPEN";

        @Version
        long version;
    }
}
