package io.sagaspring.run;

/**
 * A value as it is stored.
 *
 * @param format which codec wrote it
 * @param bytes what it wrote
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares them.
public record StoredValue(String format, byte[] bytes) {

    @Override
    public String toString() {
        return "%d bytes of %s".formatted(bytes.length, format);
    }
}
