package io.sagaspring.payload;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Writes values as bytes and reads them back. The type always comes from the code that asks, never from the bytes: who can
 * write to the database must not choose what is instantiated. A bean of this type replaces the library's own, which writes
 * JSON.
 *
 * @since 0.1.0
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

    /**
     * Requires that bytes can be read back, before anything is accepted whose type is not known yet. It is asked for what was
     * just written, and may be cheaper than reading. A codec that reads all that it writes need not implement it.
     *
     * @param bytes what was written
     * @throws PayloadException if they could not be read
     */
    default void requireReadable(byte[] bytes) {}

    /**
     * Says why values of a type would not come back as they were, whatever they are. It is asked before a step begins, so that
     * none takes effect whose result is lost, and must be quick when it is asked again.
     *
     * @param type what would be stored
     * @return one or two sentences, or null if nothing is known against the type
     */
    default @Nullable String whyUnreadable(Type type) {
        return null;
    }
}
