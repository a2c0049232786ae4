package io.sagaspring.entity;

import io.sagaspring.fence.LogText;

/**
 * What was given as an entity's id cannot be one: it is not of the type of this entity's ids.
 *
 * @since 0.1.0
 */
public final class NoSuchIdException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    NoSuchIdException(Class<?> entity) {
        super("A text with NUL or with half a surrogate pair is no id of %s: no database column holds it."
                .formatted(entity.getSimpleName()));
    }

    NoSuchIdException(Object given, Class<?> entity, Class<?> wanted) {
        super("'%s' is no id of %s, whose ids are of type %s."
                .formatted(LogText.of(given), entity.getSimpleName(), wanted.getSimpleName()));
    }
}
