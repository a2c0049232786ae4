/**
 * Codecs that write values as bytes for the database, and read them back in another process.
 *
 * <p>Of its public types, {@code JsonPayloadCodec} is only for the library's other packages and may change at any time.
 */
@NullMarked
package io.sagaspring.payload;

import org.jspecify.annotations.NullMarked;
