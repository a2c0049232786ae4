/** An entity whose status is an object inside an embeddable. */
@NullMarked
package io.sagaspring.entity.living;

import org.jspecify.annotations.NullMarked;
