package io.sagaspring.autoconfigure;

import io.sagaspring.fence.DurationText;
import io.sagaspring.startup.StartupFaultException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
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

    static double atLeast(String property, double value, int least) {
        if (!(value >= least)) {
            throw new InvalidConfigurationPropertyValueException(
                    property, value, "It must be at least %d.".formatted(least));
        }
        return value;
    }

    static int bytes(String property, DataSize size) {
        int most = 1 << 30;
        return atLeast(property, (int) Math.min(most, size.toBytes()), 1);
    }

    /**
     * Makes all checks, and reports all values that are out of range together. Spring Boot reports a single value.
     *
     * @param origin the function that describes the place of a property; returns an empty text if it is unknown
     */
    static void checkAll(UnaryOperator<String> origin, Runnable... checks) {
        List<InvalidConfigurationPropertyValueException> faults = new ArrayList<>();
        for (Runnable check : checks) {
            try {
                check.run();
            } catch (InvalidConfigurationPropertyValueException fault) {
                faults.add(fault);
            }
        }
        if (faults.size() == 1) {
            throw faults.get(0);
        }
        if (!faults.isEmpty()) {
            throw new InvalidSettingsException(faults.stream()
                    .map(fault -> "%s is %s%s. %s"
                            .formatted(
                                    fault.getName(),
                                    fault.getValue() instanceof Duration duration
                                            ? DurationText.exactly(duration)
                                            : fault.getValue(),
                                    origin.apply(fault.getName()),
                                    fault.getReason()))
                    .toList());
        }
    }

    /** Reports values that are out of range. */
    static final class InvalidSettingsException extends StartupFaultException {

        private static final long serialVersionUID = 1L;

        InvalidSettingsException(List<String> faults) {
            super("Some properties have values that are not allowed", faults, "Correct each value as described above.");
        }
    }
}
