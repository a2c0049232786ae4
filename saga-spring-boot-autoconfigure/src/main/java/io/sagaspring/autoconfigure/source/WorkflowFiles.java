package io.sagaspring.autoconfigure.source;

import io.sagaspring.definition.Fault;
import io.sagaspring.definition.Key;
import io.sagaspring.definition.Setting;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.ResourcePatternResolver;

/** Reads the workflow files. Each file holds one workflow and is named after it. */
final class WorkflowFiles {

    private static final String DEFAULT_LOCATION = "classpath*:/workflows/";
    private static final List<String> ENDINGS = List.of("*.json", "*.yml", "*.yaml");

    private static final Pattern POSITION = Pattern.compile("line (\\d+), column (\\d+)");

    private final ResourcePatternResolver resources;
    private final PropertyTree tree;
    private final List<Fault> faults;

    WorkflowFiles(ResourcePatternResolver resources, PropertyTree tree) {
        this.resources = resources;
        this.tree = tree;
        this.faults = tree.faults();
    }

    /** Reads the default folder. Other tools may keep files in a folder of that name, so foreign files are skipped. */
    Setting.Fields read(String path) {
        return read(
                path,
                find(path, DEFAULT_LOCATION).stream()
                        .filter(file -> !ForeignFile.isForeign(file))
                        .toList());
    }

    /** Reads the configured folders. Every file in them must be a workflow, and every folder must contain one. */
    Setting.Fields read(String path, String property, List<String> locations) {
        List<Resource> all = new ArrayList<>();
        for (String location : locations) {
            int before = faults.size();
            List<Resource> found = find(path, location.endsWith("/") ? location : location + "/");
            all.addAll(found);
            if (found.isEmpty() && faults.size() == before) {
                faults.add(SourceRule.FILE.broken(
                        property,
                        null,
                        "'%s' contains no file that ends in .json, .yml or .yaml. Correct the location, or remove it."
                                .formatted(location)));
            }
        }
        return read(path, all);
    }

    private Setting.Fields read(String path, List<Resource> files) {
        Map<String, Setting> workflows = new LinkedHashMap<>();
        Map<String, Resource> seen = new HashMap<>();
        for (Resource file : files) {
            String name = nameOf(file);
            Resource other = seen.putIfAbsent(Key.relaxed(name), file);
            if (other != null) {
                faults.add(SourceRule.ONE_SOURCE.broken(
                        path + "." + name,
                        file.getDescription(),
                        "Workflow '%s' is in two files, %s and %s. Keep one of them."
                                .formatted(name, other.getDescription(), file.getDescription())));
                continue;
            }
            Setting workflow = read(file, path + "." + name);
            if (workflow != null) {
                workflows.put(name, workflow);
            }
        }
        return new Setting.Fields(path, null, workflows);
    }

    /**
     * Finds the files and sorts them, because the class path has no stable order and messages should be the same on
     * every machine.
     */
    private List<Resource> find(String path, String location) {
        List<Resource> found = new ArrayList<>();
        for (String ending : ENDINGS) {
            try {
                found.addAll(List.of(resources.getResources(location + ending)));
            } catch (FileNotFoundException noSuchFolder) {
                // A missing folder contains no file.
            } catch (IOException refused) {
                faults.add(SourceRule.FILE.broken(
                        path,
                        null,
                        "%s could not be searched: %s. Correct the location.".formatted(location + ending, refused)));
            }
        }
        found.sort(Comparator.comparing(Resource::getDescription));
        return found;
    }

    private @Nullable Setting read(Resource file, String path) {
        try {
            List<PropertySource<?>> documents =
                    new YamlPropertySourceLoader().load(file.getDescription(), JsonAsYaml.in(file));
            if (documents.size() != 1) {
                return refuse(
                        file,
                        path,
                        null,
                        "it contains %s instead of one workflow"
                                .formatted(documents.isEmpty() ? "nothing" : documents.size() + " documents"));
            }
            ConfigurationPropertySource properties = ConfigurationPropertySource.from(documents.get(0));
            if (properties == null) {
                return refuse(file, path, null, "it contains nothing that can be read");
            }
            Setting workflow = tree.read(properties, PropertyPath.ROOT, path);
            return isMap(workflow) ? workflow : refuse(file, path, null, "it is not a map of keys with their values");
        } catch (IOException | RuntimeException refused) {
            String reason = String.valueOf(refused.getMessage());
            return refuse(file, path, positionIn(reason), reason.strip().replaceAll("\\s+", " "));
        } catch (StackOverflowError endless) {
            return refuse(file, path, null, "an alias in it contains itself");
        }
    }

    /** Returns true if the root is a map. Spring stores any other root under the key {@code document}. */
    private static boolean isMap(Setting workflow) {
        return workflow instanceof Setting.Fields fields
                && !fields.entries().isEmpty()
                && !fields.entries().keySet().equals(Set.of("document"));
    }

    private @Nullable Setting refuse(Resource file, String path, @Nullable String position, String reason) {
        String place = file.getDescription() + (position == null ? "" : " - " + position);
        faults.add(SourceRule.FILE.broken(
                path,
                place,
                "%s cannot be read: %s. Correct the file, or remove it.".formatted(file.getDescription(), reason)));
        return null;
    }

    /**
     * Returns the last position in the message, which is the position of the problem. Earlier positions describe its
     * context.
     */
    private static @Nullable String positionIn(String message) {
        return POSITION.matcher(message)
                .results()
                .reduce((earlier, later) -> later)
                .map((MatchResult at) -> at.group(1) + ":" + at.group(2))
                .orElse(null);
    }

    private static String nameOf(Resource file) {
        String name = String.valueOf(file.getFilename());
        int dot = name.lastIndexOf('.');
        return dot < 0 ? name : name.substring(0, dot);
    }
}
