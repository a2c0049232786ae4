package io.sagaspring.autoconfigure.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sagaspring.autoconfigure.source.WorkflowSources.Gathered;
import io.sagaspring.definition.DefinitionReader;
import io.sagaspring.definition.Fault;
import io.sagaspring.definition.Setting;
import io.sagaspring.definition.WorkflowDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

/**
 * Workflows are read from the properties of an application in every spelling. A single value may be overridden, but a
 * list must come from one source.
 */
class WorkflowSourcesTests extends ConfiguredWorkflows {

    WorkflowSourcesTests(@TempDir Path directory) {
        super(directory);
    }

    @Test
    void anEmptyEnvironmentHasNoWorkflows() throws IOException {
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
    void propertiesAndYamlDefineTheSameWorkflow() throws IOException {
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
        clearEnvironment();
        yaml("application.yml", APPLICATION);

        assertThat(fromProperties).isEqualTo(onlyDefinition(gather()));
    }

    @Test
    void environmentVariablesAndYamlDefineTheSameWorkflow() throws IOException {
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
        clearEnvironment();
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
    void aListFromTwoSourcesIsAFault(String property) throws IOException {
        properties("overriding", property, "DRAFT");
        yaml("application.yml", APPLICATION);

        assertThat(gather().faults()).singleElement().satisfies(fault -> {
            assertThat(fault.rule()).isEqualTo("one-source");
            assertThat(fault.sentence()).contains("from property source \"overriding\"", "application.yml] - ");
        });
    }

    @Test
    void theDocumentOfAProfileIsASourceOfItsOwn() throws IOException {
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
    void anUnresolvablePlaceholderIsAFault(String placeholder) throws IOException {
        properties("p", "a", "${b}", "b", "${a}");
        yaml("application.yml", APPLICATION.replace("module: billing", "module: " + placeholder));

        assertThat(gather().faults()).singleElement().satisfies(fault -> {
            assertThat(fault.rule()).isEqualTo("placeholder");
            assertThat(fault.place()).endsWith("application.yml] - 4:15");
        });
    }

    @Test
    void unquotedBooleansAreDistinguishedFromStrings() throws IOException {
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
    void anEmptyClaimStateIsAFault(String empty) throws IOException {
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
    void aKeyThatHasBothAValueAndChildKeysIsAFault() throws IOException {
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
    void twoSpellingsOfAKeyInOneSourceAreAFault() throws IOException {
        yaml("application.yml", APPLICATION.replace("step-id: 20", "step-id: 20\n          stepId: 20"));

        assertThat(DefinitionReader.read(gather().workflows()).faults())
                .extracting(Fault::rule)
                .containsExactly("key-twice");
    }

    @Test
    void listsAndMapsInDefaultPropertiesAreRead() throws IOException {
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

    /** Spring Boot drops some characters from names, which can remove a whole key. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "saga.workflows.\u00fc",
                "saga.workflows.billing.",
                "saga.workflows.billing.steps[0].claim-state.\u0000"
            })
    void aKeyThatSpringBootWouldDropIsKept(String noise) throws IOException {
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
}
