package io.sagaspring.payload;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Writes values as bytes and reads them back. The calling code, never the stored bytes, determines the type to read.
 * Otherwise, anyone who can write to the database could choose the class that is instantiated. A bean of this type
 * replaces the library's own codec, which writes JSON.
 *
 * @since 0.1.0
 */
public interface PayloadCodec {

    /**
     * Returns the name of this codec's format. The name is stored with the bytes, to distinguish them from the bytes of
     * other codecs.
     *
     * @return a short name that never changes
     */
    String format();

    /**
     * Writes a value.
     *
     * @param value the value to write
     * @return the value's bytes
     * @throws PayloadException if the value cannot be written, or is larger than allowed
     */
    byte[] write(@Nullable Object value);

    /**
     * Reads a value back.
     *
     * @param bytes the bytes that {@link #write} returned
     * @param type the type of the value
     * @return the value
     * @throws PayloadException if the bytes cannot be read as this type
     */
    @Nullable
    Object read(byte[] bytes, Type type);

    /**
     * Checks that newly written bytes can be read back. The library calls this method before it accepts a value whose
     * type is not known yet. The check need not read the whole value. A codec that can read everything it writes need
     * not override this method.
     *
     * @param bytes the bytes that {@link #write} returned
     * @throws PayloadException if the bytes cannot be read back
     */
    default void requireReadable(byte[] bytes) {}

    /**
     * Explains why values of a type could never be read back unchanged. The library calls this method at start-up if
     * the type is known then, and otherwise before a step begins. Therefore, a step whose result would be lost never
     * takes effect. The method may be called often, so repeated calls for the same type must be fast.
     *
     * @param type the type of the values to be stored
     * @return one or two sentences, or null if no reason is known
     */
    default @Nullable String whyUnreadable(Type type) {
        return null;
    }
}
