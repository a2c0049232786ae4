package io.sagaspring.autoconfigure.source;

import io.sagaspring.definition.Fault;
import io.sagaspring.definition.Setting;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Builds a tree from the properties of one source. */
record PropertyTree(UnaryOperator<String> placeholders, List<Fault> faults) {

    /** Returns the settings below the prefix, or a map without entries if the source has none. */
    Setting read(ConfigurationPropertySource source, PropertyPath prefix, String path) {
        SettingNode root = new SettingNode(path);
        Object underlying = source.getUnderlyingSource();
        if (underlying instanceof SystemEnvironmentPropertySource) {
            readVariables(source, prefix, root);
        } else if (underlying instanceof EnumerablePropertySource<?> properties) {
            readProperties(properties, prefix, root);
        }
        return root.toSetting(faults);
    }

    /** Reads environment variables. Spring Boot decides which property a variable stands for. */
    private void readVariables(ConfigurationPropertySource source, PropertyPath prefix, SettingNode root) {
        if (!(source instanceof IterableConfigurationPropertySource variables)) {
            return;
        }
        for (ConfigurationPropertyName name : variables) {
            PropertyPath variable = PropertyPath.of(name);
            ConfigurationProperty property = variable.isBelow(prefix) ? source.getConfigurationProperty(name) : null;
            if (property != null) {
                set(
                        variable.below(prefix).asEnvironmentVariable().from(root),
                        property.getValue(),
                        property.getOrigin());
            }
        }
    }

    private void readProperties(EnumerablePropertySource<?> properties, PropertyPath prefix, SettingNode root) {
        for (String name : properties.getPropertyNames()) {
            PropertyPath property = PropertyPath.parse(name);
            if (property.isBelow(prefix)) {
                set(
                        property.below(prefix).from(root),
                        properties.getProperty(name),
                        PropertySourceOrigin.get(properties, name));
            }
        }
    }

    void set(SettingNode node, @Nullable Object value, @Nullable Origin origin) {
        String place = origin == null ? null : origin.toString();
        node.set(value instanceof CharSequence text ? resolved(text.toString(), node.path(), place) : value, place);
    }

    private String resolved(String text, String path, @Nullable String place) {
        try {
            return placeholders.apply(text);
        } catch (IllegalArgumentException refused) {
            faults.add(SourceRule.PLACEHOLDER.broken(
                    path,
                    place,
                    "The value contains a placeholder that cannot be resolved: %s. Define the property, or give the placeholder a default"
                                    .formatted(refused.getMessage())
                            + " after a colon."));
            return text;
        }
    }
}
