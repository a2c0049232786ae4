/** How values become bytes that outlive their process, and values again. */
@NullMarked
package io.sagaspring.payload;

import org.jspecify.annotations.NullMarked;
