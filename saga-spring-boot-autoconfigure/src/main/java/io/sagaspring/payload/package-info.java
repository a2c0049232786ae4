/**
 * How values become bytes that outlive their process, and values again.
 *
 * <p>Of its public types, {@code JsonPayloadCodec} is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.payload;

import org.jspecify.annotations.NullMarked;
