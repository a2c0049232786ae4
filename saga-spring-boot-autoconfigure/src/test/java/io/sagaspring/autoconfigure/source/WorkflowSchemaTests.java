package io.sagaspring.autoconfigure.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.sagaspring.definition.DefinitionReader;
import io.sagaspring.definition.Fault;
import io.sagaspring.definition.Key;
import io.sagaspring.definition.Rule;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.env.StandardEnvironment;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The schemas for editors and the documentation describe the workflows that the reader accepts. */
class WorkflowSchemaTests {

    private static final JsonNode ONE = json("workflow.schema.json");
    private static final JsonNode ALL = json("workflows.schema.json");

    private static final Path DOCUMENT = Path.of("../docs/workflows-configuration.md");

    private static final String VALID = """
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

    record Example(String written, String instead, boolean isAccepted) {

        String yaml() {
            assertThat(VALID).contains(written);
            return VALID.replace(written, instead);
        }
    }

    static List<Example> examples() {
        return List.of(
                new Example("module", "module", true),
                new Example(
                        "status-types: [APPROVED, CLOSING, CLOSED]", "status_types: APPROVED, CLOSING,CLOSED", true),
                new Example("step-id: 20", "step_id: '20'", true),
                new Example("claim-state", "claim_state", true),
                new Example("claim-state", "successful_claim_state", true),
                new Example("claim-state", "successful-claim-state", true),
                new Example("[CLOSING, APPROVED]", "'CLOSING,APPROVED'", true),
                new Example("    claim-state: { admin: [CLOSING, APPROVED] }\n", "", true),
                new Example("module: billing", "module: billing\nstatus_property: state", true),
                new Example("module: billing", "module: 1", true),
                new Example("module: billing", "$schema: a.json\nmodule: billing", false),
                new Example("module: billing", "", false),
                new Example("entity: com.example.Billing", "", false),
                new Example("status-types: [APPROVED, CLOSING, CLOSED]\n", "", true),
                new Example("requesters: [admin, system]\n", "", true),
                new Example("step-id: 20\n    ", "", true),
                new Example("step-id: 20", "step-ids: 20", false),
                new Example("step-id: 20", "step-id: 20\n    step_id: 20", false),
                new Example("step-id: 20", "step-id: 1.5", false),
                new Example("step-id: 20", "step-id: -1", false),
                new Example("step-id: 20", "step-id: twenty", false),
                new Example("step-id: 20", "step-id: 2147483648", false),
                new Example("step-key: close", "step-key: on", false),
                new Example("step-key: close", "step-key:", false),
                new Example("step-key: close", "step-key: ' '", false),
                new Example("step-key: close", "step-key: [close]", false),
                new Example("[admin, system]", "[]", false),
                new Example("[admin, system]", "[admin, system, admin]", false),
                new Example("[admin, system]", "{ admin: 1 }", false),
                new Example("[admin, system]", "'admin,,system'", false),
                new Example("[APPROVED, CLOSING, CLOSED]", "[APPROVED, CLOSING, CLOSED, ON]", false),
                new Example("{ admin: [CLOSING, APPROVED] }", "[CLOSING, APPROVED]", false),
                new Example("{ admin: [CLOSING, APPROVED] }", "{}", false),
                new Example("[CLOSING, APPROVED]", "[]", false),
                new Example("[CLOSING, APPROVED]", "[CLOSING]", false),
                new Example("[CLOSING, APPROVED]", "[CLOSING, APPROVED, CLOSED]", false),
                new Example("[CLOSING, APPROVED]", "CLOSING", false),
                new Example("[CLOSING, APPROVED]", "[CLOSING, true]", false),
                new Example("{ any: CLOSED }", "CLOSED", false),
                new Example("{ any: CLOSED }", "{ any: [CLOSED] }", false),
                new Example("{ any: closeBilling }", "", false),
                new Example("    action: { any: closeBilling }\n", "", false),
                new Example(VALID.substring(VALID.indexOf("steps:")), "steps: []\n", false),
                new Example(VALID.substring(VALID.indexOf("steps:")), "steps: { close: 1 }\n", false),
                new Example(VALID.substring(VALID.indexOf("steps:")), "steps: [close]\n", false));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void theSchemasAndTheReaderAgree(Example example) {
        Object written = new Yaml().load(example.yaml());
        JsonNode workflow = JsonMapper.shared().valueToTree(written);

        assertThat(schema(ONE).validate(workflow).isEmpty())
                .as("schema of a file")
                .isEqualTo(example.isAccepted());
        assertThat(schema(ALL)
                        .validate(JsonMapper.shared().createObjectNode().set("billing", workflow))
                        .isEmpty())
                .as("schema of saga.workflows")
                .isEqualTo(example.isAccepted());
        assertThat(faultsOf(example.yaml()).isEmpty()).as("reader").isEqualTo(example.isAccepted());
    }

    @ParameterizedTest
    @EnumSource
    void theSchemasHaveTheKeysOfTheModelAndNoOthers(Key.Place place) {
        Set<String> spellings = Key.of(place).stream()
                .flatMap(key -> key.spellings().stream())
                .flatMap(spelling -> Stream.of(spelling, spelling.replace('-', '_')))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(new TreeSet<>(definition(place).path("properties").propertyNames()))
                .isEqualTo(spellings);
    }

    @ParameterizedTest
    @EnumSource
    void theSchemasRequireWhatTheModelRequires(Key.Place place) {
        JsonNode definition = definition(place);
        Set<String> required = new TreeSet<>();
        definition.path("required").forEach(key -> required.add(key.asString()));
        definition.path("allOf").forEach(choice -> {
            boolean mayBeAbsent = choice.toString().contains("\"not\"");
            if (!mayBeAbsent) {
                required.add(
                        choice.path("oneOf").path(0).path("required").path(0).asString());
            }
        });

        assertThat(required)
                .containsExactlyInAnyOrderElementsOf(Key.of(place).stream()
                        .filter(Key::required)
                        .map(Key::text)
                        .toList());
    }

    @Test
    void bothSchemasHaveTheSameDefinitions() {
        assertThat(ALL.path("$defs")).isEqualTo(ONE.path("$defs"));
    }

    @Test
    void anIdeCompletesTheKeysOfTheModel() {
        assertThat(components(WorkflowProperties.Workflow.class)).isEqualTo(texts(Key.Place.WORKFLOW));
        assertThat(components(WorkflowProperties.Step.class)).isEqualTo(texts(Key.Place.STEP));
    }

    @Test
    void theDocumentNamesEveryKeyAndEveryRule() throws IOException {
        String document = Files.readString(DOCUMENT);
        String rules = document.substring(document.indexOf("## Rules"));

        Stream.of(Key.values())
                .flatMap(key -> key.spellings().stream())
                .forEach(key -> assertThat(document).contains("`" + key + "`"));
        Stream.concat(
                        Stream.of(Rule.values()).map(Rule::shortName),
                        Stream.of(SourceRule.values()).map(SourceRule::shortName))
                .forEach(rule -> assertThat(rules).containsOnlyOnce("\n| `" + rule + "` |"));
    }

    @Test
    void theExampleInTheDocumentIsValid() throws IOException {
        String document = Files.readString(DOCUMENT);
        int start = document.indexOf("```yaml\n") + "```yaml\n".length();
        String example = document.substring(start, document.indexOf("```", start));
        String workflow = example.substring(example.indexOf("billing:\n") + "billing:\n".length());

        assertThat(faultsOf(workflow.stripIndent())).isEmpty();
    }

    private static Schema schema(JsonNode json) {
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(json);
    }

    private static JsonNode definition(Key.Place place) {
        return ONE.path("$defs").path(place == Key.Place.STEP ? "step" : "workflow");
    }

    private static List<Fault> faultsOf(String workflow) {
        WorkflowSources.Gathered gathered =
                WorkflowSources.gather(new StandardEnvironment(), new InMemoryFiles(Map.of("billing.yml", workflow)));
        assertThat(gathered.faults()).isEmpty();
        return DefinitionReader.read(gathered.workflows()).faults();
    }

    private static List<String> texts(Key.Place place) {
        return Key.of(place).stream().map(Key::text).toList();
    }

    private static List<String> components(Class<?> type) {
        return Stream.of(Objects.requireNonNull(type.getRecordComponents()))
                .map(RecordComponent::getName)
                .map(name -> name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                .toList();
    }

    private static JsonNode json(String name) {
        try (InputStream in = WorkflowSchemaTests.class.getResourceAsStream("/META-INF/saga/" + name)) {
            return JsonMapper.shared().readTree(Objects.requireNonNull(in));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
