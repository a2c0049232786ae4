/** An entity whose converter reads null as a status. */
@NullMarked
package io.sagaspring.entity.defaulted;

import org.jspecify.annotations.NullMarked;
