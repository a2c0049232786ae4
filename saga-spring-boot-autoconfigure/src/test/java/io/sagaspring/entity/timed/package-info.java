/** Entities whose versions are times of several precisions. */
@NullMarked
package io.sagaspring.entity.timed;

import org.jspecify.annotations.NullMarked;
