package io.sagaspring.definition;

import static io.sagaspring.definition.WrittenDefinitions.ANOTHER;
import static io.sagaspring.definition.WrittenDefinitions.SOUND;
import static io.sagaspring.definition.WrittenDefinitions.UNLISTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sagaspring.definition.DefinitionReader.Definitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A valid definition is read in any spelling, and the faults of an invalid definition are reported. */
class DefinitionReaderTests {

    @Test
    void aDefinitionIsReadAsWritten() {
        Definitions read = DefinitionReader.read(WrittenSettings.yaml(SOUND));

        assertThat(read.faults()).isEmpty();
        assertThat(read.workflows())
                .containsExactly(new WorkflowDefinition(
                        "billing",
                        "billing",
                        "com.example.Billing",
                        "status",
                        List.of("DRAFT", "APPROVED", "CLOSING", "CLOSED", "OPENING"),
                        List.of(Requester.of("admin"), Requester.of("system")),
                        List.of(
                                new StepDefinition(
                                        10,
                                        "close",
                                        "APPROVED",
                                        only("admin", new StepDefinition.ClaimPair("CLOSING", "APPROVED")),
                                        only("any", "CLOSED"),
                                        only("any", "isComplete"),
                                        only("any", "close"),
                                        only("any", "email")),
                                new StepDefinition(
                                        20,
                                        "reopen",
                                        "CLOSED",
                                        only("admin", new StepDefinition.ClaimPair("OPENING", "CLOSED")),
                                        only("admin", "DRAFT"),
                                        StepDefinition.PerRequester.none(),
                                        only("admin", "reopen"),
                                        StepDefinition.PerRequester.none()))));
    }

    @Test
    void statesRequestersAndStepIdsCanBeOmitted() {
        Definitions read = DefinitionReader.read(WrittenSettings.yaml(
                UNLISTED.replace("  status-types: [DRAFT, APPROVED, CLOSING, CLOSED, OPENING]\n", "")
                        .replaceAll("step-id: \\d+\n +", "")));

        assertThat(read.faults()).isEmpty();
        assertThat(read.workflows()).singleElement().satisfies(workflow -> {
            assertThat(workflow.requesters()).containsExactly(Requester.of("admin"));
            assertThat(workflow.statusTypes()).isEmpty();
            assertThat(workflow.steps()).extracting(StepDefinition::id).containsExactly(10, 20);
        });
    }

    @Test
    void aRequesterIsUnknownIfNoStepNamesIt() {
        WorkflowDefinition workflow = DefinitionReader.read(WrittenSettings.yaml(UNLISTED))
                .workflows()
                .get(0);

        assertThat(workflow.known(Requester.of("admin"))).isPresent();
        assertThat(workflow.known(Requester.of("system"))).isEmpty();
    }

    @Test
    void everyRequesterThatAStepNamesBelongsToTheWorkflow() {
        Definitions read = DefinitionReader.read(WrittenSettings.yaml(UNLISTED.replace(
                "claim-state: { admin: [CLOSING, APPROVED] }",
                "claim-state: { admin: [CLOSING, APPROVED], night-shift: [CLOSING, APPROVED] }")));

        assertThat(read.faults()).isEmpty();
        assertThat(read.workflows().get(0).requesters())
                .containsExactly(Requester.of("admin"), Requester.of("night-shift"));
    }

    private static <T> StepDefinition.PerRequester<T> only(String requester, T value) {
        return new StepDefinition.PerRequester<>(Map.of(requester, value));
    }

    static Stream<Arguments> otherSpellings() {
        return Stream.of(
                arguments("step-id", "step_id"),
                arguments("step-key", "stepKey"),
                arguments("status-types", "STATUS_TYPES"),
                arguments("claim-state", "successful_claim_state"),
                arguments("successful-state", "successfulState"),
                arguments("success-after-effect", "success_after_effect"),
                arguments("any:", "ANY:"),
                arguments("{ admin:", "{ Ad-Min:"),
                arguments("[admin, system]", "' admin ,system'"),
                arguments("[CLOSING, APPROVED]", "'CLOSING, APPROVED'"),
                arguments("step-id: 10", "step-id: '10'"));
    }

    @ParameterizedTest
    @MethodSource("otherSpellings")
    void dashesUnderscoresCaseAndCommasDoNotMatter(String written, String replacement) {
        Definitions read = DefinitionReader.read(WrittenSettings.yaml(SOUND.replace(written, replacement)));

        assertThat(read.faults()).isEmpty();
        assertThat(read.workflows())
                .isEqualTo(DefinitionReader.read(WrittenSettings.yaml(SOUND)).workflows());
    }

    @Test
    void missingWorkflowsAreAllowedButAnEmptyKeyIsAFault() {
        Definitions nothing = DefinitionReader.read(new Setting.Fields("saga.workflows", null, Map.of()));
        Definitions empty = DefinitionReader.read(WrittenSettings.yaml("{}"));

        assertThat(nothing.faults()).isEmpty();
        assertThat(nothing.workflows()).isEmpty();
        assertThat(empty.faults()).extracting(Fault::rule).containsExactly("empty");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[a, b]", "billing"})
    void workflowsMustBeAMap(String written) {
        assertThat(DefinitionReader.read(WrittenSettings.yaml(written)).faults())
                .extracting(Fault::rule)
                .containsExactly("shape");
    }

    @Test
    void stepsMustBeAList() {
        String written = SOUND.substring(0, SOUND.indexOf("  steps:")) + "  steps: { '0': { step-id: 10 } }\n";

        assertThat(DefinitionReader.read(WrittenSettings.yaml(written)).faults())
                .extracting(Fault::rule)
                .containsExactly("shape");
    }

    @Test
    void everyFaultOfEveryWorkflowIsReportedWithItsPath() {
        String written = (SOUND + ANOTHER)
                .replace("module: billing", "modul: billing")
                .replace("step-id: 10", "step-id: ten")
                .replace("successful-state: { clerk: DUNNED }", "successful-state: DUNNED");

        assertThat(DefinitionReader.read(WrittenSettings.yaml(written)).faults())
                .extracting(fault -> fault.path() + " " + fault.rule())
                .containsExactly(
                        "saga.workflows.billing.modul unknown-key",
                        "saga.workflows.billing.steps[0].step-id step-id",
                        "saga.workflows.dunning.modul unknown-key",
                        "saga.workflows.dunning.steps[0].successful-state by-requester");
    }

    @Test
    void aTypoIsReportedWithASuggestion() {
        String written = SOUND.replace("claim-state: { admin: [CLOSING", "claim_sate: { admin: [CLOSING")
                .replace("any: CLOSED", "any: CLOSD")
                .replace("admin: DRAFT", "amin: DRAFT");

        assertThat(DefinitionReader.read(WrittenSettings.yaml(written)).faults())
                .extracting(Fault::sentence)
                .satisfiesExactly(
                        unknownKey -> assertThat(unknownKey).contains("Did you mean 'claim-state'?"),
                        unknownRequester -> assertThat(unknownRequester).contains("Did you mean 'admin'?"),
                        unknownStatus -> assertThat(unknownStatus).contains("Did you mean 'CLOSED'?"));
    }

    @Test
    void workflowsOfTwoEntitiesMustAgreeOnlyIfTheyShareATable() {
        String written = SOUND
                + ANOTHER.replace("com.example.Billing", "com.example.Dunning")
                        .replace("module: billing", "module: dunning");

        Definitions read = DefinitionReader.read(WrittenSettings.yaml(written));

        assertThat(read.faults()).isEmpty();
        assertThat(read.workflows()).hasSize(2);
        assertThat(read.faultsByTable(entity -> entity)).isEmpty();
        assertThat(read.faultsByTable(entity -> "billing"))
                .extracting(Fault::rule)
                .containsExactly("one-module");
    }

    @Test
    void aWorkflowThatDisagreesWithAnotherWorkflowIsLeftOut() {
        String written = SOUND + ANOTHER.replace("dunning:\n  module: billing", "dunning:\n  module: dunning");

        assertThat(DefinitionReader.read(WrittenSettings.yaml(written)).workflows())
                .extracting(WorkflowDefinition::name)
                .containsExactly("billing");
    }

    @Test
    void twoStepsCanServeTheSameCallForDifferentRequesters() {
        String written = SOUND.replace("{ any: CLOSED }", "{ admin: CLOSED }")
                        .replace("action: { any: close }", "action: { admin: close }")
                + "    - { step-id: 30, step-key: close, status: APPROVED, successful-state: { system: CLOSED },"
                + " action: { system: close } }\n";

        assertThat(DefinitionReader.read(WrittenSettings.yaml(written)).faults())
                .isEmpty();
    }

    @Test
    void aMessageCannotForgeALineOrFillTheLog() {
        String secondLine = "x\n2026-01-01 ERROR forged\u202e\u0000";
        String huge = "x".repeat(100_000);
        Setting written = WrittenSettings.of(
                "saga.workflows", Map.of(secondLine, Map.of(secondLine, secondLine), huge, Map.of(huge, huge)));

        List<Fault> faults = DefinitionReader.read(written).faults();

        assertThat(faults).isNotEmpty().allSatisfy(fault -> {
            assertThat(fault.toString()).hasSizeLessThan(5_000);
            assertThat(fault.toString().codePoints())
                    .noneMatch(Character::isISOControl)
                    .doesNotContain(0x202e);
        });
    }

    @Test
    void veryDeepAndVeryLongSettingsAreRead() {
        Setting deep = new Setting.Text("deep", null, "x", false);
        for (int depth = 0; depth < 100_000; depth++) {
            deep = new Setting.Fields("deep", null, Map.of("steps", deep));
        }
        List<Setting> many = new ArrayList<>();
        for (int each = 0; each < 20_000; each++) {
            many.add(WrittenSettings.of("many", Map.of("step-key", "close", "status", "A", "step-id", "1")));
        }
        Setting broad = new Setting.Fields("broad", null, Map.of("steps", new Setting.Items("steps", null, many)));

        List<Fault> faults = DefinitionReader.read(
                        new Setting.Fields("saga.workflows", null, Map.of("deep", deep, "broad", broad)))
                .faults();

        assertThat(faults.stream().collect(Collectors.groupingBy(Fault::rule, Collectors.counting())))
                .containsEntry("step-id-twice", 19_999L);
    }
}
