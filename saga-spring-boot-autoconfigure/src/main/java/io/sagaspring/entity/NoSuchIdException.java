package io.sagaspring.entity;

import io.sagaspring.fence.LogText;
import java.util.List;

/**
 * Thrown when a value cannot be an entity's id, because it cannot be converted to the type of this entity's ids or
 * cannot be stored.
 *
 * @since 0.1.0
 */
public final class NoSuchIdException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    NoSuchIdException(Class<?> entity) {
        super(
                "The given text cannot be an id of %s: it contains NUL or an unpaired surrogate, which no database column can store."
                        .formatted(entity.getSimpleName()));
    }

    NoSuchIdException(Object given, Class<?> entity, Class<?> wanted) {
        super("'%s' is not an id of %s. Its ids are of type %s."
                .formatted(LogText.of(given), entity.getSimpleName(), wanted.getSimpleName()));
    }

    NoSuchIdException(Object given, Class<?> entity, List<String> parts) {
        super(
                "'%s' is not an id of %s. Its ids have %s. Pass the id itself or its text. The text %s."
                        .formatted(
                                LogText.of(given),
                                entity.getSimpleName(),
                                (parts.size() == 1 ? "the part " : "the parts ") + String.join(", ", parts),
                                parts.size() == 1
                                        ? "consists of that part only"
                                        : "joins the parts with commas (in a part, write '~,' for a comma and '~~' for a tilde)"));
    }
}
