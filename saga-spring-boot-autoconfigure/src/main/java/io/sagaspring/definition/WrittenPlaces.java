package io.sagaspring.definition;

import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the place of a property in the configuration files. The place is reported with a fault that shows only when a
 * workflow is compared with the application's classes and beans.
 *
 * @param workflows the configured workflows
 */
record WrittenPlaces(Setting workflows) {

    private static final Pattern PART = Pattern.compile("\\[(\\d+)]|[^.\\[]+");

    /**
     * Returns the place of a property.
     *
     * @param path the property's full name, which begins with the path of the workflows
     * @return the file, line and column of the property or of its nearest known parent, or null
     */
    @Nullable
    String of(@Nullable String path) {
        if (path == null || !path.startsWith(workflows.path() + ".")) {
            return null;
        }
        Setting found = workflows;
        String rest = path.substring(workflows.path().length() + 1);
        for (MatchResult part : PART.matcher(rest).results().toList()) {
            Setting below = below(found, part);
            if (below == null) {
                break;
            }
            found = below;
        }
        return found.place();
    }

    private static @Nullable Setting below(Setting setting, MatchResult part) {
        if (setting instanceof Setting.Items items && part.group(1) != null) {
            int index = Integer.parseInt(part.group(1));
            return index < items.items().size() ? items.items().get(index) : null;
        }
        if (setting instanceof Setting.Fields fields) {
            return fields.entries().entrySet().stream()
                    .filter(entry -> Key.relaxed(entry.getKey()).equals(Key.relaxed(part.group())))
                    .map(java.util.Map.Entry::getValue)
                    .findFirst()
                    .orElse(null);
        }
        return null;
    }
}
