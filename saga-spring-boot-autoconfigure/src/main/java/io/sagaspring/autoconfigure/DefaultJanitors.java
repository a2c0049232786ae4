package io.sagaspring.autoconfigure;

import static java.util.stream.Collectors.joining;

import io.sagaspring.definition.Key;
import io.sagaspring.definition.Nearest;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.diagnostics.FailureAnalyzedException;

/** Creates the janitors that the properties request, and reports settings for modules that do not exist. */
final class DefaultJanitors {

    private static final String PREFIX = "saga.janitor.modules.";

    private DefaultJanitors() {}

    private static final class DefaultJanitor extends ScheduledClaimJanitor {}

    /** Returns the janitors, by the properties that request them. Each janitor is already registered for its module. */
    static Map<String, ScheduledClaimJanitor> of(JanitorProperties properties, JanitorRegistry registry) {
        Map<String, ScheduledClaimJanitor> janitors = new LinkedHashMap<>();
        List<String> known = registry.modules();
        properties.modules().forEach((written, settings) -> {
            String module = known.stream()
                    .filter(each -> Key.relaxed(each).equals(Key.relaxed(written)))
                    .findFirst()
                    .orElseThrow(() -> unknown(written, known));
            if (settings.defaultJanitor()) {
                if (registry.sweep(module).isPresent()) {
                    throw twoJanitors(written, module);
                }
                DefaultJanitor janitor = new DefaultJanitor();
                registry.cover(module, janitor);
                janitors.put(PREFIX + written + ".default-janitor", janitor);
            }
        });
        return janitors;
    }

    private static FailureAnalyzedException unknown(String written, List<String> known) {
        return new FailureAnalyzedException(
                "The properties %s%s.* name a module that does not exist, so they would have no effect.%s"
                        .formatted(PREFIX, written, Nearest.question(Nearest.to(written, known))),
                known.isEmpty()
                        ? "Remove the properties: no module of this application declares a claim state."
                        : "Correct the name, or remove the properties. The modules are: %s."
                                .formatted(known.stream().map("'%s'"::formatted).collect(joining(", "))));
    }

    private static FailureAnalyzedException twoJanitors(String written, String module) {
        return new FailureAnalyzedException(
                "Module '%s' has a bean annotated @ClaimJanitor, and %s%s.default-janitor=true requests another janitor."
                        .formatted(module, PREFIX, written),
                "Remove the property to keep the bean, or remove the bean to keep the property.");
    }
}
