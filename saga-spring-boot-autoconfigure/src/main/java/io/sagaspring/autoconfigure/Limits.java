package io.sagaspring.autoconfigure;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.unit.DataSize;

/**
 * Checks the values of properties. The checks run when a value is used, so that Spring Boot can show the line from
 * which the value comes.
 */
final class Limits {

    private Limits() {}

    static Duration atLeast(String property, Duration value, Duration least) {
        if (value.compareTo(least) < 0) {
            throw new InvalidConfigurationPropertyValueException(
                    property, value, "It must be at least %s.".formatted(DurationText.exactly(least)));
        }
        return value;
    }

    static int atLeast(String property, int value, int least) {
        if (value < least) {
            throw new InvalidConfigurationPropertyValueException(
                    property, value, "It must be at least %d.".formatted(least));
        }
        return value;
    }

    static int bytes(String property, DataSize size) {
        int most = 1 << 30;
        return atLeast(property, (int) Math.min(most, size.toBytes()), 1);
    }
}
