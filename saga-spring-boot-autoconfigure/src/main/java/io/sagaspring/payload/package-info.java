/**
 * Codecs that write values as bytes for the database, and read them back in another process.
 *
 * <p>Of the package's public types, {@code JsonPayloadCodec} is for the library's other packages only, and may change
 * at any time.
 */
@NullMarked
package io.sagaspring.payload;

import org.jspecify.annotations.NullMarked;
