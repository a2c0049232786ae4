/**
 * What JPA says of an application's entity: where its id, status and version lie, and how a status is flipped without
 * going through a persistence context. A mapping that is not fully supported is refused with a sentence, because half
 * support would be a double action. Start reading at {@link io.sagaspring.entity.EntityTable}.
 */
@NullMarked
package io.sagaspring.entity;

import org.jspecify.annotations.NullMarked;
