/**
 * The application's entities: the columns of id, status and version, and the statements that flip a status without the
 * application's code. JPA maps an entity, or the application describes its table. The application fails at start-up if
 * a mapping is not fully supported, because partial support could run an action twice. Start reading at {@link
 * io.sagaspring.entity.EntityTable}.
 *
 * <p>Apart from {@code ClaimTable}, {@code DirtyContextException}, {@code EntityRow} and {@code NoSuchIdException}, the
 * package's public types are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.entity;

import org.jspecify.annotations.NullMarked;
