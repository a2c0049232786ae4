/**
 * The application's entities in their JPA mapping: the columns of the id, the status and the version, and the
 * statements that flip a status without a persistence context. The application fails at start-up if a mapping is not
 * fully supported, because partial support could run an action twice. Start reading at {@link
 * io.sagaspring.entity.EntityTable}.
 *
 * <p>Of its public types, {@code EntitySource}, {@code EntityTable}, {@code EntityTables}, {@code ForeignTransaction},
 * {@code LoadedEntity}, {@code MappedEntities} and {@code PersistenceUnit} are for the library's other packages only,
 * and may change at any time.
 */
@NullMarked
package io.sagaspring.entity;

import org.jspecify.annotations.NullMarked;
