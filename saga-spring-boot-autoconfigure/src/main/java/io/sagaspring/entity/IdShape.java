package io.sagaspring.entity;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The type of an entity's ids, and their parts. */
interface IdShape {

    /** Returns the class of the ids. */
    Class<?> type();

    /** Returns the parts of an id in their order. Each part has one column. */
    List<IdPart> parts();

    /** Returns true if an id is an object that contains its parts, and not a single value. */
    boolean isComposite();

    /** Returns the values of an id's parts, as Java objects. A value is null if the id lacks this part. */
    List<@Nullable Object> valuesOf(Object id);

    /** Creates the id from the values of its parts. */
    Object of(List<Object> values);
}
