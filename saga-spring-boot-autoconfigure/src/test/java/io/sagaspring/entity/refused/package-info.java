/** One entity for each kind of mapping that is refused. */
@NullMarked
package io.sagaspring.entity.refused;

import org.jspecify.annotations.NullMarked;
