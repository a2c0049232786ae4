package io.sagaspring.run;

/**
 * A value as it is stored.
 *
 * @param format the format of the codec that wrote the value
 * @param bytes the value in that format
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // Values are not compared.
public record StoredValue(String format, byte[] bytes) {

    @Override
    public String toString() {
        return "%d bytes of %s".formatted(bytes.length, format);
    }
}
