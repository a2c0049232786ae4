package io.sagaspring.autoconfigure.source;

import io.sagaspring.definition.Key;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.Resource;

/**
 * Distinguishes workflow files from the files of other tools. A workflow with a typo must not be mistaken for a foreign
 * file. Therefore a file is foreign only if it has none of the keys of a workflow's root and none of the keys that only
 * steps have.
 */
final class ForeignFile {

    private static final Logger logger = LoggerFactory.getLogger(ForeignFile.class);

    private static final Set<String> ROOT_KEYS =
            Set.of("module", "entity", "statustypes", "statusproperty", "requesters");
    private static final Set<String> STEP_KEYS =
            Set.of("stepid", "stepkey", "claimstate", "successfulclaimstate", "successfulstate", "successaftereffect");

    /**
     * Finds a key of a workflow in the text of a file that cannot be parsed or is not a map. The key must begin a line,
     * a map or an entry of a map.
     */
    private static final Pattern LINE = Pattern.compile(
            "(?:^|[{,])[\\s{\\-\"']*(?:module|entity|status[-_]?types|status[-_]?property|requesters|step[-_]?id|step[-_]?key"
                    + "|claim[-_]?state|successful[-_]?(?:claim[-_]?)?state)[\"']?\\s*:",
            Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);

    private static final Pattern NOTHING = Pattern.compile("[\\s{}\\[\\]-]*");

    private ForeignFile() {}

    static boolean isForeign(Resource file) {
        String text;
        try {
            text = file.getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            return false;
        }
        if (NOTHING.matcher(text).matches() || hasWorkflowKeys(file, text)) {
            return false;
        }
        logger.warn(
                "{} is ignored because it has none of a workflow's keys, such as 'module' and 'entity'. If it belongs to another tool, move your workflows to a folder of their own and set saga.workflow-locations.",
                file.getDescription());
        return true;
    }

    private static boolean hasWorkflowKeys(Resource file, String text) {
        try {
            List<PropertySource<?>> documents =
                    new YamlPropertySourceLoader().load(file.getDescription(), JsonAsYaml.in(file));
            List<String> names = documents.stream()
                    .flatMap(document -> document instanceof EnumerablePropertySource<?> properties
                            ? Stream.of(properties.getPropertyNames())
                            : Stream.empty())
                    .toList();
            boolean isMap = names.stream().noneMatch(name -> name.startsWith("document") || name.startsWith("["));
            if (isMap) {
                return names.stream().anyMatch(ForeignFile::isWorkflowKey);
            }
        } catch (IOException | RuntimeException | StackOverflowError unreadable) {
            // The file cannot be parsed, so its text is searched instead.
        }
        return LINE.matcher(text).find();
    }

    private static boolean isWorkflowKey(String name) {
        List<String> keys =
                Stream.of(name.split("[.\\[\\]]+", -1)).map(Key::relaxed).toList();
        return ROOT_KEYS.contains(keys.get(0)) || keys.stream().anyMatch(STEP_KEYS::contains);
    }
}
