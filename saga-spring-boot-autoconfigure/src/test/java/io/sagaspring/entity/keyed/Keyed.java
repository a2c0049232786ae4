package io.sagaspring.entity.keyed;

import io.sagaspring.entity.supported.State;
import io.sagaspring.entity.supported.SupportedKeys;
import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Converter;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import java.io.Serializable;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Entities with composite ids, and one with an id of bytes. New entities are open. */
public final class Keyed {

    private Keyed() {}

    @Embeddable
    public record Words(String first, String second) implements Serializable {}

    @Entity(name = "Worded")
    public static class Worded extends SupportedKeys.Keyed {

        @EmbeddedId
        Words id = new Words("", "");

        protected Worded() {}

        public Worded(Words id) {
            this.id = id;
        }
    }

    /** The database pads the second part with blanks. */
    @Embeddable
    public record Padded(
            Long number,
            @Column(columnDefinition = "char(20)") String name) implements Serializable {}

    @Entity(name = "PaddedKey")
    public static class PaddedKey extends SupportedKeys.Keyed {

        @EmbeddedId
        Padded id = new Padded(0L, "");

        protected PaddedKey() {}

        public PaddedKey(Padded id) {
            this.id = id;
        }
    }

    /** The second part is case-insensitive, and the first may be a blank. The parts have different collations. */
    @Embeddable
    public record Loose(
            @Column(columnDefinition = "char(1) COLLATE \"C\"")
            char kind,

            @Column(columnDefinition = "text COLLATE caseless")
            String name)
            implements Serializable {}

    @Entity(name = "LooseKey")
    public static class LooseKey extends SupportedKeys.Keyed {

        @EmbeddedId
        Loose id = new Loose('x', "");

        protected LooseKey() {}

        public LooseKey(Loose id) {
            this.id = id;
        }
    }

    /** A name that a converter stores in lower case, and that must not be empty. */
    public record Name(String value) implements Serializable {

        public Name {
            if (value.isEmpty()) {
                throw new IllegalStateException("A name is not empty.");
            }
        }
    }

    @Converter
    public static class NameColumn implements AttributeConverter<Name, String> {

        @Override
        public @Nullable String convertToDatabaseColumn(@Nullable Name name) {
            return name == null ? null : name.value().toLowerCase(Locale.ROOT);
        }

        @Override
        public @Nullable Name convertToEntityAttribute(@Nullable String value) {
            return value == null ? null : new Name(value);
        }
    }

    /** A mutable class without its own {@code toString}. */
    @Embeddable
    public static class Change implements Serializable {

        private static final long serialVersionUID = 1L;

        @Convert(converter = NameColumn.class)
        @Nullable
        Name name;

        @Nullable
        Integer number;

        @Nullable
        State state;

        protected Change() {}

        public Change(@Nullable Name name, @Nullable Integer number, @Nullable State state) {
            this.name = name;
            this.number = number;
            this.state = state;
        }

        public void renumber(Integer changed) {
            number = changed;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Change change
                    && Objects.equals(name, change.name)
                    && Objects.equals(number, change.number)
                    && state == change.state;
        }

        @Override
        public int hashCode() {
            return Objects.hash(name, number, state);
        }
    }

    @Entity(name = "Changeable")
    public static class Changeable extends SupportedKeys.Keyed {

        @EmbeddedId
        Change id = new Change();

        protected Changeable() {}

        public Changeable(Change id) {
            this.id = id;
        }
    }

    @Embeddable
    public record Flags(boolean flag, UUID token) implements Serializable {}

    @Entity(name = "Flagged")
    public static class Flagged extends SupportedKeys.Keyed {

        @EmbeddedId
        Flags id = new Flags(false, new UUID(0, 0));

        protected Flagged() {}

        public Flagged(Flags id) {
            this.id = id;
        }
    }

    /** The id class of {@link Paired}. It does not override {@code toString}. */
    public static class Pair implements Serializable {

        private static final long serialVersionUID = 1L;

        String zone = "";
        Long number = 0L;

        protected Pair() {}

        public Pair(String zone, Long number) {
            this.zone = zone;
            this.number = number;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Pair pair && zone.equals(pair.zone) && number.equals(pair.number);
        }

        @Override
        public int hashCode() {
            return Objects.hash(zone, number);
        }
    }

    @IdClass(Pair.class)
    @Entity(name = "Paired")
    public static class Paired extends SupportedKeys.Keyed {

        @Id
        String zone = "";

        @Id
        Long number = 0L;

        protected Paired() {}

        public Paired(Pair id) {
            this.zone = id.zone;
            this.number = id.number;
        }
    }

    @Entity(name = "Hashed")
    public static class Hashed extends SupportedKeys.Keyed {

        @Id
        byte[] id = {};

        protected Hashed() {}

        public Hashed(byte[] id) {
            this.id = id;
        }
    }
}
