package io.sagaspring.autoconfigure.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.autoconfigure.source.WorkflowSources.Gathered;
import io.sagaspring.definition.DefinitionReader;
import io.sagaspring.definition.Setting;
import io.sagaspring.definition.WorkflowDefinition;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/**
 * Base class of tests that write workflows in an environment and in a folder of the class path. Both are empty at the
 * beginning of each test.
 */
abstract class ConfiguredWorkflows {

    static final String WORKFLOW = """
            module: billing
            entity: com.example.Billing
            status-types: [APPROVED, CLOSING, CLOSED]
            requesters: [admin, system]
            steps:
              - step-id: 20
                step-key: close
                status: APPROVED
                claim-state: { admin: [CLOSING, APPROVED] }
                successful-state: { any: CLOSED }
                action: { any: closeBilling }
            """;

    static final String APPLICATION = "saga:\n  workflows:\n    billing:\n" + WORKFLOW.indent(6);

    final ConfigurableEnvironment environment = new StandardEnvironment();

    final Path directory;

    ConfiguredWorkflows(Path directory) {
        this.directory = directory;
        clearEnvironment();
    }

    void clearEnvironment() {
        environment
                .getPropertySources()
                .forEach(source -> environment.getPropertySources().remove(source.getName()));
    }

    void yaml(String name, String content) throws IOException {
        Path file = Files.writeString(directory.resolve(name), content);
        for (PropertySource<?> document : new YamlPropertySourceLoader().load(name, new FileSystemResource(file))) {
            environment.getPropertySources().addLast(document);
        }
    }

    void properties(String name, String... namesAndValues) {
        Map<String, Object> properties = new LinkedHashMap<>();
        for (int each = 0; each < namesAndValues.length; each += 2) {
            properties.put(namesAndValues[each], namesAndValues[each + 1]);
        }
        environment.getPropertySources().addLast(new MapPropertySource(name, properties));
    }

    void environment(Map<String, Object> variables) {
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
    }

    void file(String name, String content) throws IOException {
        Files.writeString(
                Files.createDirectories(directory.resolve("workflows")).resolve(name), content);
    }

    Gathered gather() throws IOException {
        URL root = directory.toUri().toURL();
        try (URLClassLoader classes = new URLClassLoader(new URL[] {root}, null)) {
            return WorkflowSources.gather(environment, new PathMatchingResourcePatternResolver(classes));
        }
    }

    static WorkflowDefinition onlyDefinition(Gathered gathered) {
        DefinitionReader.Definitions read = DefinitionReader.read(gathered.workflows());
        assertThat(read.faults()).isEmpty();
        assertThat(read.workflows()).hasSize(1);
        return read.workflows().get(0);
    }

    static Setting at(Gathered gathered, String... keys) {
        Setting setting = gathered.workflows();
        for (String key : keys) {
            Setting next = ((Setting.Fields) setting).entries().get(key);
            assertThat(next).as(key).isNotNull();
            setting = Objects.requireNonNull(next);
        }
        return setting;
    }

    static Map<String, String> leaves(Gathered gathered) {
        Map<String, String> leaves = new TreeMap<>();
        collect(gathered.workflows(), leaves);
        return leaves;
    }

    private static void collect(Setting setting, Map<String, String> leaves) {
        if (setting instanceof Setting.Text text) {
            leaves.put(text.path(), text.value());
        } else if (setting instanceof Setting.Items list) {
            list.items().forEach(item -> collect(item, leaves));
        } else {
            ((Setting.Fields) setting).entries().values().forEach(value -> collect(value, leaves));
        }
    }
}
