package io.sagaspring.autoconfigure.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.autoconfigure.source.WorkflowSources.Gathered;
import io.sagaspring.definition.DefinitionReader;
import io.sagaspring.definition.Fault;
import io.sagaspring.definition.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** Workflows are read from files in the configured folders, and a fault names its file. */
class WorkflowFilesTests extends ConfiguredWorkflows {

    WorkflowFilesTests(@TempDir Path directory) {
        super(directory);
    }

    @ParameterizedTest
    @ValueSource(strings = {"billing.yml", "billing.yaml"})
    void aFileContainsOneWorkflowThatIsNamedAfterTheFile(String name) throws IOException {
        file(name, WORKFLOW.replace("step-id", "step_id").replace("claim-state", "successful_claim_state"));

        Gathered gathered = gather();

        assertThat(gathered.faults()).isEmpty();
        assertThat(onlyDefinition(gathered).name()).isEqualTo("billing");
        assertThat(at(gathered, "billing", "module").path()).isEqualTo("saga.workflows.billing.module");
        assertThat(at(gathered, "billing", "module").place()).endsWith(name + "] - 1:9");
    }

    @Test
    void aJsonFileThatIsIndentedWithTabsIsRead() throws IOException {
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
    void aWorkflowInAFileAndInPropertiesIsRefusedAndBothPlacesAreNamed() throws IOException {
        environment(Map.of("SAGA_WORKFLOWS_CREDITNOTE_MODULE", "other"));
        file("credit-note.yml", WORKFLOW);

        assertThat(gather().faults()).singleElement().satisfies(fault -> {
            assertThat(fault.rule()).isEqualTo("one-source");
            assertThat(fault.sentence()).contains("SAGA_WORKFLOWS_CREDITNOTE_MODULE", "credit-note.yml] - 1:9");
        });
    }

    @Test
    void aWorkflowInTwoFilesIsRefusedAndBothFilesAreNamed() throws IOException {
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
    void theFaultNamesTheFileThatCannotBeRead(String content) throws IOException {
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
    void aFileOfAnotherToolIsIgnoredAndLogged(String content, CapturedOutput output) throws IOException {
        file("ci.yml", content);
        file("billing.yml", WORKFLOW);

        Gathered gathered = gather();

        assertThat(gathered.faults()).isEmpty();
        assertThat(onlyDefinition(gathered).name()).isEqualTo("billing");
        assertThat(output).containsOnlyOnce("is ignored").contains("ci.yml] is ignored", "saga.workflow-locations");
    }

    @ParameterizedTest
    @ValueSource(strings = {"entity", "module", "requesters", "status-types", "step-key", "successful-state"})
    void aWorkflowWithManyTyposIsNotTakenForAFileOfAnotherTool(String correct) throws IOException {
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
    void aConfiguredFolderReplacesTheDefaultAndAllItsFilesAreRead(String location) throws IOException {
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

    /** As in Spring Boot, the list of a profile replaces the list of the base file, in every notation. */
    @Test
    void theFirstSourceWithLocationsReplacesAllOtherSources() throws IOException {
        folder("profile");
        folder("base");
        properties("profile", "saga.workflowLocations[0]", "classpath:/profile/");
        properties("base", "saga.workflow-locations", "classpath:/base/");

        assertThat(onlyDefinition(gather()).name()).isEqualTo("of-profile");

        clearEnvironment();
        properties("profile", "saga.workflow-locations", "classpath:/profile/, classpath:/base/");
        properties("base", "saga.workflow-locations[0]", "classpath:/flws/");

        assertThat(gather().faults()).isEmpty();
        assertThat(leaves(gather()).keySet())
                .contains("saga.workflows.of-profile.module", "saga.workflows.of-base.module");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SAGA_WORKFLOWLOCATIONS", "SAGA_WORKFLOW_LOCATIONS", "SAGA_WORKFLOWLOCATIONS_0"})
    void anEnvironmentVariableCanSetTheLocation(String variable) throws IOException {
        folder("of");
        folder("base");
        properties("base", "saga.workflow-locations[0]", "classpath:/base/");
        environment(Map.of(variable, "classpath:/of/"));

        assertThat(onlyDefinition(gather()).name()).isEqualTo("of-of");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "7"})
    void aGapInTheListOfLocationsIsAFault(String index) throws IOException {
        folder("base");
        properties("p", "saga.workflow-locations[" + index + "]", "classpath:/base/");

        assertThat(gather().faults()).singleElement().satisfies(fault -> {
            assertThat(fault.rule()).isEqualTo("list-gap");
            assertThat(fault.path()).isEqualTo("saga.workflow-locations");
        });
    }

    /** Creates a folder with one workflow. */
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
    void aBrokenWorkflowOnOneLineIsNotTakenForAFileOfAnotherTool(String content) throws IOException {
        file("billing.json", content);

        assertThat(gather().faults()).extracting(Fault::rule).containsExactly("file");
    }

    @Test
    void noFolderIsReadIfTheLocationIsEmpty() throws IOException {
        properties("p", "saga.workflow-locations", "");
        file("billing.yml", WORKFLOW);

        assertThat(leaves(gather())).isEmpty();
    }

    @Test
    void theFaultOfABrokenFileNamesTheLineOfTheProblem() throws IOException {
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
}
