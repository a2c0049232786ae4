package io.sagaspring.entity.living;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Converter;
import org.jspecify.annotations.Nullable;

/** Converts a phase, and keeps the blanks of a column of fixed width. */
@Converter
public class PhaseConverter implements AttributeConverter<Phase, String> {

    @Override
    public @Nullable String convertToDatabaseColumn(@Nullable Phase phase) {
        return phase == null ? null : phase.letter();
    }

    @Override
    public @Nullable Phase convertToEntityAttribute(@Nullable String column) {
        return column == null ? null : new Phase(column);
    }
}
