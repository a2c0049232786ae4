/** Entities whose rows a test hides. */
@NullMarked
package io.sagaspring.entity.hidden;

import org.jspecify.annotations.NullMarked;
