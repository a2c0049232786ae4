package io.sagaspring.autoconfigure.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sagaspring.autoconfigure.source.WorkflowSources.Gathered;
import io.sagaspring.definition.DefinitionReader;
import io.sagaspring.definition.Fault;
import io.sagaspring.definition.Setting;
import io.sagaspring.definition.WorkflowDefinition;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** Where workflows may be written, and what becomes of what is written in two places. */
class WorkflowSourcesTests {

    private static final String WORKFLOW = """
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

    private static final String APPLICATION = "saga:\n  workflows:\n    billing:\n" + WORKFLOW.indent(6);

    private final ConfigurableEnvironment environment = new StandardEnvironment();

    private final Path directory;

    WorkflowSourcesTests(@TempDir Path directory) {
        this.directory = directory;
        startFromNothing();
    }

    private void startFromNothing() {
        environment
                .getPropertySources()
                .forEach(source -> environment.getPropertySources().remove(source.getName()));
    }

    @Test
    void nothingWrittenIsAMapWithoutEntries() throws IOException {
        Gathered gathered = gather();

        assertThat(gathered.workflows()).isEqualTo(new Setting.Fields("saga.workflows", null, Map.of()));
        assertThat(gathered.faults()).isEmpty();
    }

    @Test
    void yamlIsReadWithLinesAndColumns() throws IOException {
        yaml("application.yml", APPLICATION);

        Gathered gathered = gather();

        assertThat(gathered.faults()).isEmpty();
        assertThat(leaves(gathered))
                .containsEntry("saga.workflows.billing.module", "billing")
                .containsEntry("saga.workflows.billing.status-types[1]", "CLOSING")
                .containsEntry("saga.workflows.billing.steps[0].claim-state.admin[0]", "CLOSING")
                .hasSize(14);
        assertThat(at(gathered, "billing", "module").place()).endsWith("application.yml] - 4:15");
        assertThat(at(gathered, "billing", "steps").place()).endsWith("application.yml] - 9:20");
        assertThat(onlyDefinition(gathered).name()).isEqualTo("billing");
    }

    @Test
    void propertiesSayTheSameAsYaml() throws IOException {
        properties(
                "p",
                "saga.workflows.billing.module",
                "billing",
                "saga.workflows.billing.entity",
                "com.example.Billing",
                "saga.workflows.billing.statusTypes",
                "APPROVED, CLOSING, CLOSED",
                "saga.workflows.billing.requesters[0]",
                "admin",
                "saga.workflows.billing.requesters[1]",
                "system",
                "saga.workflows.billing.steps[0].step_id",
                "20",
                "saga.workflows.billing.steps[0].stepKey",
                "close",
                "saga.workflows.billing.steps[0].status",
                "APPROVED",
                "saga.workflows.billing.steps[0].claim-state.admin",
                "CLOSING,APPROVED",
                "saga.workflows.billing.steps[0].successful-state.any",
                "CLOSED",
                "saga.workflows.billing.steps[0].action.[any]",
                "closeBilling");
        WorkflowDefinition fromProperties = onlyDefinition(gather());
        startFromNothing();
        yaml("application.yml", APPLICATION);

        assertThat(fromProperties).isEqualTo(onlyDefinition(gather()));
    }

    @Test
    void environmentVariablesSayTheSameAsYaml() throws IOException {
        Map<String, Object> variables = new LinkedHashMap<>();
        variables.put("SAGA_WORKFLOWS_BILLING_MODULE", "billing");
        variables.put("SAGA_WORKFLOWS_BILLING_ENTITY", "com.example.Billing");
        variables.put("SAGA_WORKFLOWS_BILLING_STATUS_TYPES", "APPROVED,CLOSING,CLOSED");
        variables.put("SAGA_WORKFLOWS_BILLING_REQUESTERS_0", "admin");
        variables.put("SAGA_WORKFLOWS_BILLING_REQUESTERS_1", "system");
        variables.put("SAGA_WORKFLOWS_BILLING_STEPS_0_STEPID", "20");
        variables.put("SAGA_WORKFLOWS_BILLING_STEPS_0_STEP_KEY", "close");
        variables.put("SAGA_WORKFLOWS_BILLING_STEPS_0_STATUS", "APPROVED");
        variables.put("SAGA_WORKFLOWS_BILLING_STEPS_0_SUCCESSFUL_CLAIM_STATE_ADMIN_0", "CLOSING");
        variables.put("SAGA_WORKFLOWS_BILLING_STEPS_0_SUCCESSFUL_CLAIM_STATE_ADMIN_1", "APPROVED");
        variables.put("SAGA_WORKFLOWS_BILLING_STEPS_0_SUCCESSFUL_STATE_ANY", "CLOSED");
        variables.put("SAGA_WORKFLOWS_BILLING_STEPS_0_ACTION_ANY", "closeBilling");
        environment(variables);
        Gathered gathered = gather();
        WorkflowDefinition fromEnvironment = onlyDefinition(gathered);
        assertThat(at(gathered, "billing", "module").place()).contains("SAGA_WORKFLOWS_BILLING_MODULE");
        startFromNothing();
        yaml("application.yml", APPLICATION);

        assertThat(fromEnvironment).isEqualTo(onlyDefinition(gather()));
    }

    @Test
    void namesWithDashesHaveUnderscoresInEnvironmentVariables() throws IOException {
        environment(Map.of(
                "SAGA_WORKFLOWS_CREDIT_NOTE_STATUS_PROPERTY", "state",
                "SAGA_WORKFLOWS_CREDIT_NOTE_STEPS_0_ACTION_NIGHT_SHIFT", "close"));

        assertThat(leaves(gather()))
                .containsEntry("saga.workflows.credit-note.status-property", "state")
                .containsEntry("saga.workflows.credit-note.steps[0].action.night-shift", "close");
    }

    @Test
    void aSourceOfHigherPrecedenceOverridesASingleValue() throws IOException {
        environment(Map.of("SAGA_WORKFLOWS_BILLING_MODULE", "accounting"));
        properties("p", "saga.workflows.Billing.statusProperty", "state");
        yaml("application.yml", APPLICATION.replace("module:", "status_property: status\n      module:"));

        Gathered gathered = gather();

        assertThat(gathered.faults()).isEmpty();
        assertThat(onlyDefinition(gathered).module()).isEqualTo("accounting");
        assertThat(onlyDefinition(gathered).statusProperty()).isEqualTo("state");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "saga.workflows.billing.status-types",
                "saga.workflows.billing.statusTypes[0]",
                "saga.workflows.billing.requesters",
                "saga.workflows.billing.steps",
                "saga.workflows.billing.steps[0].action.any"
            })
    void aListComesFromOneSource(String property) throws IOException {
        properties("overriding", property, "DRAFT");
        yaml("application.yml", APPLICATION);

        assertThat(gather().faults()).singleElement().satisfies(fault -> {
            assertThat(fault.rule()).isEqualTo("one-source");
            assertThat(fault.sentence()).contains("from property source \"overriding\"", "application.yml] - ");
        });
    }

    @Test
    void profileDocumentsAreTwoSources() throws IOException {
        Files.writeString(
                directory.resolve("application.yml"),
                APPLICATION
                        + "---\nspring.config.activate.on-profile: night\nsaga.workflows.billing:\n  module: night\n  steps:\n"
                        + "    - step-id: 30\n");
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Empty.class)
                .web(WebApplicationType.NONE)
                .profiles("night")
                .run("--spring.config.location=" + directory.toUri())) {

            Gathered gathered = WorkflowSources.gather(context.getEnvironment(), context);

            assertThat(at(gathered, "billing", "module"))
                    .asInstanceOf(InstanceOfAssertFactories.type(Setting.Text.class))
                    .returns("night", Setting.Text::value);
            assertThat(gathered.faults()).singleElement().satisfies(fault -> {
                assertThat(fault.rule()).isEqualTo("one-source");
                assertThat(fault.path()).isEqualTo("saga.workflows.billing.steps");
                assertThat(fault.sentence()).contains("application.yml] - 20:16", "application.yml] - 9:20");
                assertThat(fault.place()).contains("20:16");
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"billing.yml", "billing.yaml"})
    void aFileHoldsOneWorkflowAndIsNamedAfterIt(String name) throws IOException {
        file(name, WORKFLOW.replace("step-id", "step_id").replace("claim-state", "successful_claim_state"));

        Gathered gathered = gather();

        assertThat(gathered.faults()).isEmpty();
        assertThat(onlyDefinition(gathered).name()).isEqualTo("billing");
        assertThat(at(gathered, "billing", "module").path()).isEqualTo("saga.workflows.billing.module");
        assertThat(at(gathered, "billing", "module").place()).endsWith(name + "] - 1:9");
    }

    @Test
    void aJsonFileMayBeIndentedWithTabs() throws IOException {
        file("billing.json", """
                {
                \t"module": "b\\u0069lling\\/\\"x\\"", "entity": "com.example.Billing",
                \t"status_types": ["APPROVED",\t"CLOSED"],
                \t"requesters": ["admin"],
                \t"steps": [{
                \t\t"step_id": 20, "step_key": "close", "status": "APPROVED",
                \t\t"successful_state": {"any": "CLOSED"}, "action": {"any": "close"}
                \t}]
                }
                """);

        Gathered gathered = gather();

        assertThat(gathered.faults()).isEmpty();
        assertThat(onlyDefinition(gathered).module()).isEqualTo("billing/\"x\"");
        assertThat(at(gathered, "billing", "module").place()).endsWith("billing.json] - 2:12");
    }

    @Test
    void propertiesAndFilesAreReadTogether() throws IOException {
        yaml("application.yml", APPLICATION);
        file("dunning.yml", WORKFLOW);
        file("reminder.json", "{\"module\": \"billing\"}");

        assertThat(((Setting.Fields) gather().workflows()).entries())
                .containsOnlyKeys("billing", "dunning", "reminder");
    }

    @Test
    void aWorkflowInAFileAndInPropertiesIsRefusedNamingBoth() throws IOException {
        environment(Map.of("SAGA_WORKFLOWS_CREDITNOTE_MODULE", "other"));
        file("credit-note.yml", WORKFLOW);

        assertThat(gather().faults()).singleElement().satisfies(fault -> {
            assertThat(fault.rule()).isEqualTo("one-source");
            assertThat(fault.sentence()).contains("SAGA_WORKFLOWS_CREDITNOTE_MODULE", "credit-note.yml] - 1:9");
        });
    }

    @Test
    void aWorkflowInTwoFilesIsRefusedNamingBoth() throws IOException {
        file("billing.yml", WORKFLOW);
        file("billing.json", "{\"module\": \"billing\"}");

        assertThat(gather().faults()).singleElement().satisfies(fault -> {
            assertThat(fault.rule()).isEqualTo("one-source");
            assertThat(fault.sentence()).contains("billing.yml", "billing.json");
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "module: billing\nentity: [A\nsteps: []\n",
                "module: billing\nmodule: billing\n",
                "module: billing\n\tentity: A\n",
                "module: &a\n  - *a\n",
                "- module: billing\n",
                "",
                "{}",
                "module: billing\n---\nmodule: dunning\n",
                "module: !!java.net.URL [x]\n",
            })
    void aFileThatCannotBeReadIsAFaultThatNamesIt(String content) throws IOException {
        file("billing.yml", content);

        Gathered gathered = gather();

        assertThat(gathered.faults()).singleElement().satisfies(fault -> {
            assertThat(fault.rule()).isEqualTo("file");
            assertThat(fault.path()).isEqualTo("saga.workflows.billing");
            assertThat(fault.place()).contains("billing.yml]");
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "name: ci\non: [push]\njobs:\n  build:\n    steps:\n      - uses: actions/checkout@v4\n",
                "- hosts: all\n  tasks: []\n",
                "name: order\ntasks: {{ template }}\nversion: [\n",
                "billing\n",
                "document:\n  dsl: 1.0.0\ndo: []\n---\nname: second\n",
            })
    @ExtendWith(OutputCaptureExtension.class)
    void aFileOfAnotherToolIsIgnoredAndNamed(String content, CapturedOutput output) throws IOException {
        file("ci.yml", content);
        file("billing.yml", WORKFLOW);

        Gathered gathered = gather();

        assertThat(gathered.faults()).isEmpty();
        assertThat(onlyDefinition(gathered).name()).isEqualTo("billing");
        assertThat(output).containsOnlyOnce("is ignored").contains("ci.yml] is ignored", "saga.workflow-locations");
    }

    @ParameterizedTest
    @ValueSource(strings = {"entity", "module", "requesters", "status-types", "step-key", "successful-state"})
    void aWorkflowWithManyTyposIsNotTakenForAForeignFile(String correct) throws IOException {
        String misspelt = WORKFLOW;
        for (String key : List.of(
                "entity",
                "module",
                "requesters",
                "status-types",
                "step-id",
                "step-key",
                "successful-state",
                "claim-state")) {
            misspelt = key.equals(correct) ? misspelt : misspelt.replace(key + ":", "x" + key + ":");
        }
        file("billing.yml", misspelt);

        assertThat(DefinitionReader.read(gather().workflows()).faults()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"classpath*:/flows/", "classpath:flows", "file:%s/flows"})
    void aFolderOfItsOwnIsReadInsteadAndAllOfIt(String location) throws IOException {
        properties("p", "saga.workflow-locations[0]", location.formatted(directory));
        file("ci.yml", "jobs: 1\n");
        Files.writeString(Files.createDirectories(directory.resolve("flows")).resolve("billing.yml"), WORKFLOW);

        assertThat(onlyDefinition(gather()).name()).isEqualTo("billing");

        Files.writeString(directory.resolve("flows").resolve("ci.yml"), "jobs: 1\n");

        assertThat(DefinitionReader.read(gather().workflows()).faults()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"classpath*:/flws/", "classpath:/flws/", "file:/flws/"})
    void aFolderWithoutAWorkflowIsAFault(String location) throws IOException {
        properties("p", "saga.workflow-locations", location);

        assertThat(gather().faults()).singleElement().satisfies(fault -> {
            assertThat(fault.path()).isEqualTo("saga.workflow-locations");
            assertThat(fault.sentence())
                    .isEqualTo(
                            "'%s' contains no file that ends in .json, .yml or .yaml. Correct the location, or remove it."
                                    .formatted(location));
        });
    }

    /** As in Spring Boot, a list of a profile replaces what the base file says, in whatever shape that is. */
    @Test
    void theFirstSourceThatWritesLocationsWritesAllOfThem() throws IOException {
        folder("profile");
        folder("base");
        properties("profile", "saga.workflowLocations[0]", "classpath:/profile/");
        properties("base", "saga.workflow-locations", "classpath:/base/");

        assertThat(onlyDefinition(gather()).name()).isEqualTo("of-profile");

        startFromNothing();
        properties("profile", "saga.workflow-locations", "classpath:/profile/, classpath:/base/");
        properties("base", "saga.workflow-locations[0]", "classpath:/flws/");

        assertThat(gather().faults()).isEmpty();
        assertThat(leaves(gather()).keySet())
                .contains("saga.workflows.of-profile.module", "saga.workflows.of-base.module");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SAGA_WORKFLOWLOCATIONS", "SAGA_WORKFLOW_LOCATIONS", "SAGA_WORKFLOWLOCATIONS_0"})
    void aVariableNamesALocation(String variable) throws IOException {
        folder("of");
        folder("base");
        properties("base", "saga.workflow-locations[0]", "classpath:/base/");
        environment(Map.of(variable, "classpath:/of/"));

        assertThat(onlyDefinition(gather()).name()).isEqualTo("of-of");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "7"})
    void aLocationWithoutTheOneBeforeItIsAFault(String index) throws IOException {
        folder("base");
        properties("p", "saga.workflow-locations[" + index + "]", "classpath:/base/");

        assertThat(gather().faults()).singleElement().satisfies(fault -> {
            assertThat(fault.rule()).isEqualTo("list-gap");
            assertThat(fault.path()).isEqualTo("saga.workflow-locations");
        });
    }

    /** A folder with one workflow. */
    private void folder(String name) throws IOException {
        Files.writeString(Files.createDirectories(directory.resolve(name)).resolve("of-" + name + ".yml"), WORKFLOW);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"title\": \"x\", \"module\": \"billing\", \"entity\": ]",
                "{\"steps\": [{\"step-key\": \"close\"]}",
                "{title: x, requesters: [admin"
            })
    void aBrokenWorkflowOnOneLineIsNotTakenForAForeignFile(String content) throws IOException {
        file("billing.json", content);

        assertThat(gather().faults()).extracting(Fault::rule).containsExactly("file");
    }

    @Test
    void noFolderAtAllMayBeRead() throws IOException {
        properties("p", "saga.workflow-locations", "");
        file("billing.yml", WORKFLOW);

        assertThat(leaves(gather())).isEmpty();
    }

    @Test
    void aBrokenFileNamesTheLineOfTheProblem() throws IOException {
        file("billing.yml", "module: billing\nentity: com.example.Billing\nstatus-types: ]\n");

        assertThat(gather().faults())
                .singleElement()
                .satisfies(fault -> assertThat(fault.place()).endsWith("billing.yml] - 3:15"));
    }

    @Test
    void aClassPathThatCannotBeSearchedIsAFault() {
        PathMatchingResourcePatternResolver unreadable = new PathMatchingResourcePatternResolver() {

            @Override
            public Resource[] getResources(String pattern) throws IOException {
                throw new IOException("no such disk");
            }
        };

        assertThat(WorkflowSources.gather(environment, unreadable).faults())
                .hasSize(3)
                .allSatisfy(fault -> assertThat(fault.sentence()).contains("no such disk"));
    }

    @Test
    void placeholdersAreResolved() throws IOException {
        properties("p", "owner", "accounting");
        yaml("application.yml", APPLICATION.replace("module: billing", "module: ${owner}"));
        file("dunning.yml", WORKFLOW.replace("module: billing", "module: ${nobody:dunning}"));

        Gathered gathered = gather();

        assertThat(leaves(gathered))
                .containsEntry("saga.workflows.billing.module", "accounting")
                .containsEntry("saga.workflows.dunning.module", "dunning");
    }

    @ParameterizedTest
    @ValueSource(strings = {"${nobody}", "${a}"})
    void aPlaceholderThatLeadsNowhereIsAFault(String placeholder) throws IOException {
        properties("p", "a", "${b}", "b", "${a}");
        yaml("application.yml", APPLICATION.replace("module: billing", "module: " + placeholder));

        assertThat(gather().faults()).singleElement().satisfies(fault -> {
            assertThat(fault.rule()).isEqualTo("placeholder");
            assertThat(fault.place()).endsWith("application.yml] - 4:15");
        });
    }

    @Test
    void bareBooleansAreToldFromTexts() throws IOException {
        yaml(
                "application.yml",
                APPLICATION.replace("[APPROVED, CLOSING, CLOSED]", "[APPROVED, CLOSING, CLOSED, ON, 'true']"));

        List<Fault> faults = DefinitionReader.read(gather().workflows()).faults();

        assertThat(faults).singleElement().satisfies(fault -> {
            assertThat(fault.rule()).isEqualTo("boolean");
            assertThat(fault.path()).isEqualTo("saga.workflows.billing.status-types[3]");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"claim-state: {}", "claim-state: []", "claim-state:", "claim-state: ''"})
    void anEmptyClaimStateIsNotTakenForNone(String empty) throws IOException {
        yaml("application.yml", APPLICATION.replace("claim-state: { admin: [CLOSING, APPROVED] }", empty));

        assertThat(DefinitionReader.read(gather().workflows()).faults())
                .extracting(Fault::rule)
                .containsExactly("empty");
    }

    @Test
    void aGapInAListIsAFault() throws IOException {
        properties(
                "p",
                "saga.workflows.billing.requesters[0]",
                "admin",
                "saga.workflows.billing.requesters[99999999999999]",
                "system");

        assertThat(gather().faults()).extracting(Fault::rule).containsExactly("list-gap");
    }

    @Test
    void aKeyInTwoShapesIsAFault() throws IOException {
        properties(
                "first",
                "saga.workflows.billing.module",
                "billing",
                "saga.workflows.billing.module.name",
                "billing",
                "saga.workflows.billing.entity",
                "A");
        properties("second", "saga.workflows.billing.entity.name", "A");

        assertThat(gather().faults())
                .extracting(Fault::path, Fault::rule)
                .containsExactly(
                        tuple("saga.workflows.billing.module", "two-shapes"),
                        tuple("saga.workflows.billing.entity", "two-shapes"));
    }

    @Test
    void bothSpellingsOfOneSourceReachTheReader() throws IOException {
        yaml("application.yml", APPLICATION.replace("step-id: 20", "step-id: 20\n          stepId: 20"));

        assertThat(DefinitionReader.read(gather().workflows()).faults())
                .extracting(Fault::rule)
                .containsExactly("key-twice");
    }

    @Test
    void defaultPropertiesMayHoldObjects() throws IOException {
        environment
                .getPropertySources()
                .addLast(new MapPropertySource(
                        "defaultProperties",
                        Map.of(
                                "saga.workflows.billing.requesters",
                                List.of("admin", true),
                                "saga.workflows.billing.steps[0].action",
                                Map.of("any", "close"))));

        assertThat(leaves(gather()))
                .containsEntry("saga.workflows.billing.requesters[0]", "admin")
                .containsEntry("saga.workflows.billing.steps[0].action.any", "close");
    }

    /** Spring Boot leaves out of a name what it takes for noise, and with it whole keys. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "saga.workflows.\u00fc",
                "saga.workflows.billing.",
                "saga.workflows.billing.steps[0].claim-state.\u0000"
            })
    void aKeyOfNothingButNoiseIsNotDropped(String noise) throws IOException {
        properties("p", noise, "x");

        assertThat(leaves(gather())).containsEntry(noise, "x").hasSize(1);
    }

    @Test
    void aNameOfAnyDepthIsReadWithoutExhaustingTheStack() throws IOException {
        properties("p", "saga.workflows.billing" + ".x".repeat(50_000), "deep");

        assertThat(DefinitionReader.read(gather().workflows()).faults()).isNotEmpty();
    }

    @Configuration(proxyBeanMethods = false)
    static class Empty {}

    private void yaml(String name, String content) throws IOException {
        Path file = Files.writeString(directory.resolve(name), content);
        for (PropertySource<?> document : new YamlPropertySourceLoader().load(name, new FileSystemResource(file))) {
            environment.getPropertySources().addLast(document);
        }
    }

    private void properties(String name, String... namesAndValues) {
        Map<String, Object> properties = new LinkedHashMap<>();
        for (int each = 0; each < namesAndValues.length; each += 2) {
            properties.put(namesAndValues[each], namesAndValues[each + 1]);
        }
        environment.getPropertySources().addLast(new MapPropertySource(name, properties));
    }

    private void environment(Map<String, Object> variables) {
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
    }

    private void file(String name, String content) throws IOException {
        Files.writeString(
                Files.createDirectories(directory.resolve("workflows")).resolve(name), content);
    }

    private Gathered gather() throws IOException {
        URL root = directory.toUri().toURL();
        try (URLClassLoader classes = new URLClassLoader(new URL[] {root}, null)) {
            return WorkflowSources.gather(environment, new PathMatchingResourcePatternResolver(classes));
        }
    }

    private static WorkflowDefinition onlyDefinition(Gathered gathered) {
        DefinitionReader.Definitions read = DefinitionReader.read(gathered.workflows());
        assertThat(read.faults()).isEmpty();
        assertThat(read.workflows()).hasSize(1);
        return read.workflows().get(0);
    }

    private static Setting at(Gathered gathered, String... keys) {
        Setting setting = gathered.workflows();
        for (String key : keys) {
            Setting next = ((Setting.Fields) setting).entries().get(key);
            assertThat(next).as(key).isNotNull();
            setting = Objects.requireNonNull(next);
        }
        return setting;
    }

    private static Map<String, String> leaves(Gathered gathered) {
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
