/**
 * What JPA says of an application's entity: where its id, status and version lie, and how a status is flipped without
 * going through a persistence context. A mapping that is not fully supported is refused with a sentence, because half
 * support would be a double action. Start reading at {@link io.sagaspring.entity.EntityTable}.
 *
 * <p>Of its public types, {@code EntityTable}, {@code EntityTables}, {@code LoadedEntity} and {@code PersistenceUnit} are
 * for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.entity;

import org.jspecify.annotations.NullMarked;
