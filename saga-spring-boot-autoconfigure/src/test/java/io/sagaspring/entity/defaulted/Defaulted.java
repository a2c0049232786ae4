package io.sagaspring.entity.defaulted;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import org.jspecify.annotations.Nullable;

/** An entity whose converter reads null and every unknown text as {@code OPEN}. */
@Entity
public class Defaulted {

    /** The statuses. */
    public enum Phase {
        OPEN,
        CLOSING,
        CLOSED
    }

    /** Converts a phase, with a default for null and unknown text. */
    @Converter
    public static class Phases implements AttributeConverter<Phase, String> {

        @Override
        public @Nullable String convertToDatabaseColumn(@Nullable Phase phase) {
            return phase == null ? null : "is " + phase.name();
        }

        @Override
        public Phase convertToEntityAttribute(@Nullable String column) {
            for (Phase phase : Phase.values()) {
                if (("is " + phase.name()).equals(column)) {
                    return phase;
                }
            }
            return Phase.OPEN;
        }
    }

    @Id
    Long id = 0L;

    @Convert(converter = Phases.class)
    @Column(columnDefinition = "text")
    Phase status = Phase.OPEN;

    @Version
    long version;
}
