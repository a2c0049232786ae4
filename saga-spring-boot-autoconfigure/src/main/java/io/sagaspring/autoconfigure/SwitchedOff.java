package io.sagaspring.autoconfigure;

import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.core.env.PropertyResolver;

/** Why something is not there. */
final class SwitchedOff {

    private SwitchedOff() {}

    /** Nothing if neither the library nor this part of it is switched off. */
    static Optional<String> by(String property, PropertyResolver environment) {
        return Stream.of("saga.enabled", property)
                .filter(each -> !environment.getProperty(each, Boolean.class, true))
                .findFirst()
                .map("%s is false"::formatted);
    }
}
