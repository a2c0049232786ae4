/** One entity for each kind of mapping that is supported. */
@NullMarked
package io.sagaspring.entity.supported;

import org.jspecify.annotations.NullMarked;
