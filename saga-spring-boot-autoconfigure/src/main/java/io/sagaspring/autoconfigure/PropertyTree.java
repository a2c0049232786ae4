package io.sagaspring.autoconfigure;

import io.sagaspring.definition.Fault;
import io.sagaspring.definition.Setting;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Makes a tree of the properties of one source. */
record PropertyTree(UnaryOperator<String> placeholders, List<Fault> faults) {

    /** A map without entries where the source has nothing below the prefix. */
    Setting read(ConfigurationPropertySource source, ConfigurationPropertyName prefix, String path) {
        SettingNode root = new SettingNode(path);
        if (source instanceof IterableConfigurationPropertySource properties) {
            boolean isEnvironment = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
            properties.stream()
                    .filter(name -> prefix.equals(name) || prefix.isAncestorOf(name))
                    .forEach(name -> {
                        PropertyPath below = PropertyPath.below(prefix, name);
                        SettingNode node = (isEnvironment ? below.asEnvironmentVariable() : below).from(root);
                        set(node, source.getConfigurationProperty(name));
                    });
        }
        return root.toSetting(faults);
    }

    private void set(SettingNode node, @Nullable ConfigurationProperty property) {
        if (property == null) {
            return;
        }
        String place =
                property.getOrigin() == null ? null : property.getOrigin().toString();
        Object value = property.getValue();
        node.set(value instanceof CharSequence text ? resolved(text.toString(), node.path(), place) : value, place);
    }

    private String resolved(String text, String path, @Nullable String place) {
        try {
            return placeholders.apply(text);
        } catch (IllegalArgumentException refused) {
            faults.add(SourceRule.PLACEHOLDER.broken(
                    path,
                    place,
                    "The value holds a placeholder that leads nowhere: %s. Define the property it names, or give it a default"
                                    .formatted(refused.getMessage())
                            + " after a colon."));
            return text;
        }
    }
}
