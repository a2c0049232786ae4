package io.sagaspring.autoconfigure.source;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/** Generates valid workflows and adds a few random mistakes. The same seed generates the same workflows. */
final class MutatedWorkflows {

    private static final List<String> KEYS = List.of(
            "module",
            "entity",
            "status-property",
            "status_types",
            "statusTypes",
            "requesters",
            "steps",
            "step-id",
            "step_key",
            "status",
            "claim-state",
            "successful_claim_state",
            "successful-state",
            "validation",
            "action",
            "success-after-effect",
            "any",
            "admin",
            "system",
            "night-shift",
            "nightshift",
            "claim-sate",
            "",
            " ",
            "a.b",
            "[0]",
            "0",
            "\u0000\n",
            "ı",
            "😀");

    private static final List<String> STATES = List.of("DRAFT", "APPROVED", "CLOSING", "CLOSED", "OPENING", "PAID");

    private static final List<Object> VALUES = List.of(
            "",
            " ",
            "true",
            true,
            false,
            0,
            -1,
            1.5,
            "any",
            "Admin",
            "${nobody}",
            "${a:CLOSED}",
            "A,B",
            ",",
            "x\ny",
            "\u202e",
            "😀",
            "x".repeat(5_000),
            List.of(),
            Map.of(),
            List.of("A"),
            Map.of("any", "x"),
            4_000_000_000L);

    record Written(
            List<Object> documents, List<PropertySource<?>> properties, Map<String, String> files, List<Object> trees) {

        @Override
        public String toString() {
            return "documents %s, properties %s, files %s"
                    .formatted(
                            documents,
                            properties.stream().map(PropertySource::getSource).toList(),
                            files);
        }
    }

    private final Random random;

    MutatedWorkflows(long seed) {
        this.random = new Random(seed);
    }

    Written next() {
        Map<String, Object> workflows = new LinkedHashMap<>();
        workflows.put("billing", workflow("billing"));
        if (random.nextInt(3) == 0) {
            workflows.put(
                    oneOf(List.of("dunning", "credit-note", "creditnote", "Billing")),
                    workflow(oneOf(List.of("billing", "dunning"))));
        }
        for (int mistakes = random.nextInt(4); mistakes > 0; mistakes--) {
            mistake(workflows);
        }
        return write(workflows);
    }

    private Map<String, Object> workflow(String module) {
        Map<String, Object> workflow = new LinkedHashMap<>();
        workflow.put("module", module);
        workflow.put("entity", oneOf(List.of("com.example.Billing", "com.example.Billing", "com.example.Dunning")));
        if (random.nextBoolean()) {
            workflow.put("status-property", "state");
        }
        workflow.put(oneOf(List.of("status-types", "status_types", "statusTypes")), names(STATES));
        workflow.put("requesters", names(List.of("admin", "system", "night-shift")));
        List<Object> steps = new ArrayList<>();
        steps.add(step(1, "close", "APPROVED", "CLOSING", "CLOSED"));
        if (random.nextBoolean()) {
            steps.add(step(2, "reopen", "CLOSED", "OPENING", "DRAFT"));
        }
        workflow.put("steps", steps);
        return workflow;
    }

    private Object names(List<String> names) {
        return random.nextInt(4) == 0 ? String.join(", ", names) : new ArrayList<Object>(names);
    }

    private Map<String, Object> step(int id, String key, String status, String into, String success) {
        String requester = oneOf(List.of("any", "admin", "system"));
        Map<String, Object> step = new LinkedHashMap<>();
        step.put(oneOf(List.of("step-id", "step_id", "stepId")), id);
        step.put("step-key", key);
        step.put("status", status);
        if (random.nextInt(4) > 0) {
            step.put(
                    oneOf(List.of("claim-state", "claim_state", "successful_claim_state")),
                    by(requester, names(List.of(into, status))));
        }
        step.put("successful-state", by(requester, success));
        step.put("action", by(requester, key + "Action"));
        if (random.nextInt(3) == 0) {
            step.put("validation", by(requester, "isComplete"));
            step.put("success-after-effect", by(requester, "email"));
        }
        return step;
    }

    private static Map<String, Object> by(String requester, Object value) {
        Map<String, Object> entries = new LinkedHashMap<>();
        entries.put(requester, value);
        return entries;
    }

    private void mistake(Map<String, Object> workflows) {
        List<Object> places = new ArrayList<>();
        containers(workflows, places);
        Object place = oneOf(places);
        if (place instanceof Map<?, ?>) {
            mistakeInMap(castMap(place), workflows);
        } else {
            mistakeInList(castList(place), workflows);
        }
    }

    private void mistakeInMap(Map<String, Object> map, Map<String, Object> workflows) {
        if (map.isEmpty()) {
            return;
        }
        String key = oneOf(List.copyOf(map.keySet()));
        Object value = Objects.requireNonNull(map.get(key));
        switch (random.nextInt(9)) {
            case 0 -> map.remove(key);
            case 1 -> map.put(oneOf(KEYS), copy(value));
            case 2 -> {
                map.remove(key);
                map.put(oneOf(KEYS), value);
            }
            case 3 -> map.put(key, copy(oneOf(VALUES)));
            case 4 -> map.put(key, new ArrayList<>(Collections.singletonList(value)));
            case 5 -> map.put(key, by(oneOf(KEYS), copy(value)));
            case 6 -> map.put(key, value instanceof String ? oneOf(STATES) : copy(anywhere(workflows)));
            case 7 -> map.put(typo(key), copy(value));
            default -> map.put(oneOf(KEYS), copy(oneOf(VALUES)));
        }
    }

    private void mistakeInList(List<Object> list, Map<String, Object> workflows) {
        if (list.isEmpty()) {
            return;
        }
        int at = random.nextInt(list.size());
        switch (random.nextInt(7)) {
            case 0 -> list.remove(at);
            case 1 -> list.add(copy(list.get(at)));
            case 2 -> list.set(at, copy(oneOf(VALUES)));
            case 3 -> Collections.swap(list, 0, at);
            case 4 -> list.set(at, oneOf(STATES));
            case 5 -> list.set(at, copy(anywhere(workflows)));
            default -> list.add(oneOf(KEYS));
        }
    }

    private Object anywhere(Map<String, Object> workflows) {
        List<Object> places = new ArrayList<>();
        containers(workflows, places);
        Object place = oneOf(places);
        return place == workflows ? "nowhere" : place;
    }

    private String typo(String key) {
        return key.isEmpty() ? "x" : key.substring(1) + key.charAt(0);
    }

    private Written write(Map<String, Object> workflows) {
        List<Object> trees = List.of(workflows);
        int way = random.nextInt(20);
        if (way < 8) {
            return new Written(List.of(workflows), List.of(), Map.of(), trees);
        }
        if (way < 11) {
            PropertySource<?> flat = flat(workflows);
            return new Written(List.of(), List.of(flat), Map.of(), List.of(flat.getSource()));
        }
        if (way < 17) {
            Map<String, String> files = files(workflows);
            boolean asDumped = List.copyOf(files.values())
                    .equals(workflows.values().stream()
                            .map(MutatedWorkflows::yaml)
                            .toList());
            return new Written(List.of(), List.of(), files, asDumped ? trees : List.of());
        }
        return twoSources(workflows, way);
    }

    private Map<String, String> files(Map<String, Object> workflows) {
        Map<String, String> files = new LinkedHashMap<>();
        workflows.forEach((name, workflow) -> {
            String text = yaml(workflow);
            files.put(name + oneOf(List.of(".yml", ".yaml", ".json")), random.nextInt(10) == 0 ? broken(text) : text);
        });
        return files;
    }

    /**
     * Writes YAML with escaped control characters. An unescaped control character would turn the whole string into a
     * binary value.
     */
    static String yaml(Object value) {
        DumperOptions options = new DumperOptions();
        options.setNonPrintableStyle(DumperOptions.NonPrintableStyle.ESCAPE);
        return new Yaml(options).dump(value);
    }

    private String broken(String text) {
        int at = random.nextInt(text.length());
        return text.substring(0, at)
                + oneOf(List.of("\t", "]", "{", "&a [*a]", ": :", "\n---\n", "\"", "!!x"))
                + text.substring(at);
    }

    private Written twoSources(Map<String, Object> workflows, int way) {
        if (way == 17) {
            Map<String, Object> variables = new LinkedHashMap<>();
            variables.put(
                    "SAGA_WORKFLOWS_BILLING_"
                            + oneOf(List.of("MODULE", "STATUS_TYPES", "STEPS_0_ACTION_ANY", "STEPS_7", "", "_")),
                    "x");
            return new Written(
                    List.of(workflows),
                    List.of(new SystemEnvironmentPropertySource(
                            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables)),
                    Map.of(),
                    List.of());
        }
        Map<String, Object> other = new LinkedHashMap<>();
        other.put(oneOf(List.of("billing", "Billing", "other")), workflow("billing"));
        return way == 18
                ? new Written(List.of(workflows, other), List.of(), Map.of(), List.of())
                : new Written(List.of(workflows), List.of(flat(other)), files(other), List.of());
    }

    private PropertySource<?> flat(Map<String, Object> workflows) {
        Map<String, Object> properties = new LinkedHashMap<>();
        flatten("saga.workflows", workflows, properties);
        if (random.nextInt(4) == 0 && !properties.isEmpty()) {
            properties.remove(oneOf(List.copyOf(properties.keySet())));
        }
        return new MapPropertySource("properties", properties);
    }

    private static void flatten(String path, Object value, Map<String, Object> properties) {
        if (value instanceof Map<?, ?> map && !map.isEmpty()) {
            map.forEach((key, entry) -> flatten(path + "." + key, entry, properties));
        } else if (value instanceof List<?> list && !list.isEmpty()) {
            for (int each = 0; each < list.size(); each++) {
                flatten("%s[%d]".formatted(path, each), list.get(each), properties);
            }
        } else {
            properties.put(path, value);
        }
    }

    private static void containers(Object value, List<Object> found) {
        if (value instanceof Map<?, ?> map) {
            found.add(map);
            map.values().forEach(entry -> containers(entry, found));
        } else if (value instanceof List<?> list) {
            found.add(list);
            list.forEach(item -> containers(item, found));
        }
    }

    /** Copies a tree. Without copies, a mutation could put a tree into itself, and writing the tree would never end. */
    private static Object copy(Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> copy = new LinkedHashMap<>();
            map.forEach((key, entry) -> copy.put(String.valueOf(key), copy(entry)));
            return copy;
        }
        if (value instanceof List<?> list) {
            List<Object> copy = new ArrayList<>();
            list.forEach(item -> copy.add(copy(item)));
            return copy;
        }
        return value;
    }

    private <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> castMap(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    private static List<Object> castList(Object value) {
        return (List<Object>) value;
    }
}
