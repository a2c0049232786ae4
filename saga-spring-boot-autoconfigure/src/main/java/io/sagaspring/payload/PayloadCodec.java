package io.sagaspring.payload;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Writes values as bytes and reads them back. The type always comes from the code that asks, never from the bytes: who can
 * write to the database must not choose what is instantiated. A bean of this type replaces the library's own, which writes
 * JSON.
 */
public interface PayloadCodec {

    /**
     * What tells bytes of this codec from those of another; it is stored beside them.
     *
     * @return a short name that never changes
     */
    String format();

    /**
     * Writes a value.
     *
     * @param value what to write
     * @return its bytes
     * @throws PayloadException if it cannot be written, or is larger than allowed
     */
    byte[] write(@Nullable Object value);

    /**
     * Reads a value back.
     *
     * @param bytes what was written
     * @param type what it is to be
     * @return the value
     * @throws PayloadException if the bytes are not of that type
     */
    @Nullable
    Object read(byte[] bytes, Type type);
}
