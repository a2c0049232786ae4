package io.sagaspring.autoconfigure.source;

import io.sagaspring.definition.Fault;
import io.sagaspring.definition.Key;
import io.sagaspring.definition.Setting;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.support.ResourcePatternResolver;

/**
 * Gathers the workflows from properties and files, with their places.
 *
 * @since 0.1.0
 */
public final class WorkflowSources {

    private static final String PATH = "saga.workflows";
    private static final String LOCATIONS = "saga.workflow-locations";

    private WorkflowSources() {}

    /**
     * The gathered workflows.
     *
     * @param workflows the workflows by name; a map without entries if none is configured
     * @param faults the faults in the sources themselves
     */
    public record Gathered(Setting workflows, List<Fault> faults) {}

    /**
     * Reads all sources.
     *
     * @param environment the environment whose properties are read
     * @param resources the resolver that finds the files
     * @return the gathered workflows
     */
    public static Gathered gather(ConfigurableEnvironment environment, ResourcePatternResolver resources) {
        List<Fault> faults = new ArrayList<>();
        PropertyTree tree = new PropertyTree(resolving(environment), faults);
        Setting properties = properties(environment, tree);
        WorkflowFiles reader = new WorkflowFiles(resources, tree);
        Setting.Fields files = locations(environment, tree)
                .map(locations -> reader.read(PATH, LOCATIONS, locations))
                .orElseGet(() -> reader.read(PATH));
        return new Gathered(merged(properties, files, faults), List.copyOf(faults));
    }

    /**
     * Reads the list of folders in the way Spring Boot binds a list: the first source with an item provides the whole
     * list. Spring Boot's binder is not used, because a single property name with many thousand elements makes it run
     * out of memory.
     */
    private static Optional<List<String>> locations(ConfigurableEnvironment environment, PropertyTree tree) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.from(environment.getPropertySources())) {
            Setting written = isListed(source)
                    ? tree.read(source, PropertyPath.parse(Key.relaxed(LOCATIONS)), LOCATIONS)
                    : queried(source, tree);
            if (written instanceof Setting.Text commaSeparated) {
                return Optional.of(Stream.of(commaSeparated.value().split(",", -1))
                        .map(String::strip)
                        .filter(location -> !location.isEmpty())
                        .toList());
            }
            if (written instanceof Setting.Items items) {
                return Optional.of(items.items().stream()
                        .flatMap(each -> each instanceof Setting.Text text ? Stream.of(text.value()) : Stream.empty())
                        .toList());
            }
        }
        return Optional.empty();
    }

    private static boolean isListed(ConfigurationPropertySource source) {
        Object underlying = source.getUnderlyingSource();
        return underlying instanceof EnumerablePropertySource<?>
                && !(underlying instanceof SystemEnvironmentPropertySource);
    }

    /**
     * Reads a source by querying it by name. This is necessary for sources that cannot be listed, and for environment
     * variables, whose names only Spring Boot can map.
     */
    private static Setting queried(ConfigurationPropertySource source, PropertyTree tree) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(LOCATIONS);
        SettingNode root = new SettingNode(LOCATIONS);
        ConfigurationProperty whole = source.getConfigurationProperty(name);
        if (whole != null) {
            tree.set(root, whole.getValue(), whole.getOrigin());
        }
        BigInteger next = BigInteger.ZERO;
        ConfigurationProperty each = source.getConfigurationProperty(name.append("[0]"));
        while (each != null) {
            tree.set(root.item(next), each.getValue(), each.getOrigin());
            next = next.add(BigInteger.ONE);
            each = source.getConfigurationProperty(name.append("[" + next + "]"));
        }
        return root.toSetting(tree.faults());
    }

    private static UnaryOperator<String> resolving(ConfigurableEnvironment environment) {
        return text -> text.contains("${") ? environment.resolveRequiredPlaceholders(text) : text;
    }

    private static Setting properties(ConfigurableEnvironment environment, PropertyTree tree) {
        SourcePrecedence precedence = new SourcePrecedence(tree.faults());
        Setting all = new Setting.Fields(PATH, null, Map.of());
        for (ConfigurationPropertySource source : ConfigurationPropertySources.from(environment.getPropertySources())) {
            all = precedence.over(all, tree.read(source, PropertyPath.parse(PATH), PATH));
        }
        return all;
    }

    private static Setting merged(Setting properties, Setting.Fields files, List<Fault> faults) {
        if (files.entries().isEmpty()) {
            return properties;
        }
        if (!(properties instanceof Setting.Fields fields)) {
            return new SourcePrecedence(faults).over(properties, files);
        }
        Map<String, Setting> workflows = new LinkedHashMap<>(fields.entries());
        files.entries().forEach((name, file) -> {
            Setting written = fields.entries().entrySet().stream()
                    .filter(entry -> Key.relaxed(entry.getKey()).equals(Key.relaxed(name)))
                    .map(Map.Entry::getValue)
                    .findFirst()
                    .orElse(null);
            if (written == null) {
                workflows.put(name, file);
            } else {
                faults.add(SourceRule.ONE_SOURCE.broken(
                        written.path(),
                        written.place(),
                        "Workflow '%s' is written in %s and in a file of its own, %s. Keep one of them."
                                .formatted(name, Places.of(written), Places.of(file))));
            }
        });
        return new Setting.Fields(fields.path(), fields.place(), workflows);
    }
}
