/** One entity for each way of mapping that is supported. */
@NullMarked
package io.sagaspring.entity.supported;

import org.jspecify.annotations.NullMarked;
