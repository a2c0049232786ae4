package io.sagaspring.autoconfigure;

import java.util.Optional;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/** Finds the places where properties were set. */
record PropertyOrigins(Environment environment) {

    /** Describes the place of a property, or of the first property below it. The text is empty if no place is known. */
    String of(String property) {
        ConfigurationPropertyName name = ConfigurationPropertyName.ofIfValid(property);
        if (name == null) {
            return "";
        }
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            Optional<ConfigurationPropertyName> set = source.getConfigurationProperty(name) != null
                    ? Optional.of(name)
                    : source instanceof IterableConfigurationPropertySource listed
                            ? listed.stream().filter(name::isAncestorOf).findFirst()
                            : Optional.empty();
            ConfigurationProperty found =
                    set.map(source::getConfigurationProperty).orElse(null);
            if (found != null) {
                return found.getOrigin() == null ? "" : " (%s)".formatted(found.getOrigin());
            }
        }
        return "";
    }
}
