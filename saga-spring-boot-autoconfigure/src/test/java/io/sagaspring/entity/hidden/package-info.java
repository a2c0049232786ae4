/** Entities of which a test hides rows. */
@NullMarked
package io.sagaspring.entity.hidden;

import org.jspecify.annotations.NullMarked;
