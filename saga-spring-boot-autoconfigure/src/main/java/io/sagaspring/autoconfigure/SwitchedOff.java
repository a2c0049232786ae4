package io.sagaspring.autoconfigure;

import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.core.env.PropertyResolver;

/** Finds the property that switches a capability off. */
final class SwitchedOff {

    private SwitchedOff() {}

    /**
     * Returns a clause such as "saga.enabled is false", or empty if neither the capability nor the library is switched
     * off.
     */
    static Optional<String> by(String property, PropertyResolver environment) {
        return Stream.of("saga.enabled", property)
                .filter(each -> !environment.getProperty(each, Boolean.class, true))
                .findFirst()
                .map("%s is false"::formatted);
    }
}
