package io.sagaspring.definition;

import static io.sagaspring.definition.DefinitionRulesTests.Row.row;
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
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each rule refuses something that no other rule refuses; each was taken away once, and a row here went red. */
class DefinitionRulesTests {

    private static final String SOUND = """
            billing:
              module: billing
              entity: com.example.Billing
              status-types: [DRAFT, APPROVED, CLOSING, CLOSED, OPENING]
              requesters: [admin, system]
              steps:
                - step-id: 10
                  step-key: close
                  status: APPROVED
                  claim-state: { admin: [CLOSING, APPROVED] }
                  successful-state: { any: CLOSED }
                  validation: { any: isComplete }
                  action: { any: close }
                  success-after-effect: { any: email }
                - step-id: 20
                  step-key: reopen
                  status: CLOSED
                  claim-state: { admin: [OPENING, CLOSED] }
                  successful-state: { admin: DRAFT }
                  action: { admin: reopen }
            """;

    /** Only the administrator is named. */
    private static final String UNLISTED = SOUND.replace("  requesters: [admin, system]\n", "");

    private static final String ANOTHER = """
            dunning:
              module: billing
              entity: com.example.Billing
              status-types: [APPROVED, CLOSING, DUNNED]
              requesters: [clerk]
              steps:
                - { step-id: 1, step-key: dun, status: APPROVED, claim-state: { clerk: [CLOSING, APPROVED] },
                    successful-state: { clerk: DUNNED }, action: { clerk: dun } }
            """;

    record Row(Rule rule, String written, String instead) {

        static Row row(Rule rule, String written, String instead) {
            return new Row(rule, written, instead);
        }

        String yaml() {
            String both = SOUND + ANOTHER;
            assertThat(both).contains(written);
            int at = both.indexOf(written);
            return both.substring(0, at) + instead + both.substring(at + written.length());
        }
    }

    static List<Row> rows() {
        return List.of(
                row(Rule.SHAPE, "module: billing", "module: [billing, dunning]"),
                row(Rule.SHAPE, "module: billing", "module: { name: billing }"),
                row(Rule.SHAPE, "requesters: [admin, system]", "requesters: { admin: 1, system: 2 }"),
                row(Rule.SHAPE, "any: close }", "any: [close] }"),
                row(Rule.SHAPE, "    - step-id: 10", "    - no step\n    - step-id: 10"),
                row(Rule.SHAPE, SOUND, "billing: true\n"),
                row(Rule.BY_REQUESTER, "action: { any: close }", "action: close"),
                row(
                        Rule.BY_REQUESTER,
                        "claim-state: { admin: [CLOSING, APPROVED] }",
                        "claim-state: [CLOSING, APPROVED]"),
                row(Rule.UNKNOWN_KEY, "module: billing", "module: billing\n  colour: red"),
                row(Rule.UNKNOWN_KEY, "status: APPROVED", "stauts: APPROVED"),
                row(Rule.UNKNOWN_KEY, "claim-state: { admin: [CLOSING", "claim-sate: { admin: [CLOSING"),
                row(Rule.UNKNOWN_KEY, "module: billing", "module: billing\n  '': red"),
                row(Rule.MISSING_KEY, "  module: billing\n", ""),
                row(Rule.MISSING_KEY, "  entity: com.example.Billing\n", ""),
                row(Rule.MISSING_KEY, SOUND.substring(SOUND.indexOf("  steps:")), ""),
                row(Rule.MISSING_KEY, "      step-key: close\n", ""),
                row(Rule.MISSING_KEY, "      status: APPROVED\n", ""),
                row(Rule.MISSING_KEY, "      successful-state: { any: CLOSED }\n", ""),
                row(Rule.MISSING_KEY, "      action: { any: close }\n", ""),
                row(Rule.KEY_TWICE, "step-id: 10", "step-id: 10\n      step_id: 10"),
                row(
                        Rule.KEY_TWICE,
                        "step-id: 10",
                        "step-id: 10\n      successful_claim_state: { admin: [CLOSING, APPROVED] }"),
                row(Rule.KEY_TWICE, "{ any: close }", "{ any: close, ANY: close }"),
                row(Rule.KEY_TWICE, "action: { admin: reopen }", "action: { admin: reopen, Ad-min: open }"),
                row(Rule.KEY_TWICE, ANOTHER, ANOTHER + ANOTHER.replace("dunning:", "dun-ning:")),
                row(Rule.EMPTY, "module: billing", "module: ' '"),
                row(Rule.EMPTY, "module: billing", "module:"),
                row(Rule.EMPTY, "status-types: [DRAFT, APPROVED, CLOSING, CLOSED, OPENING]", "status-types: []"),
                row(Rule.EMPTY, "requesters: [admin, system]", "requesters: 'admin,,system'"),
                row(Rule.EMPTY, "claim-state: { admin: [CLOSING, APPROVED] }", "claim-state: {}"),
                row(Rule.EMPTY, SOUND.substring(SOUND.indexOf("  steps:")), "  steps: []\n"),
                row(Rule.BOOLEAN, "CLOSED, OPENING]", "CLOSED, OPENING, ON]"),
                row(Rule.BOOLEAN, "any: close }", "any: yes }"),
                row(Rule.WORKFLOW_NAME, "dunning:", "Dunning:"),
                row(Rule.WORKFLOW_NAME, "dunning:", "dun_ning:"),
                row(Rule.WORKFLOW_NAME, "dunning:", "1:"),
                row(Rule.STEP_ID, "step-id: 10", "step-id: ten"),
                row(Rule.STEP_ID, "step-id: 10", "step-id: 1.5"),
                row(Rule.STEP_ID, "step-id: 10", "step-id: -10"),
                row(Rule.STEP_ID, "step-id: 10", "step-id: 2147483648"),
                row(Rule.STEP_ID, "step-id: 10", "step-id: '٣'"),
                row(Rule.STEP_ID, "step-id: 10", "step-id: [10]"),
                row(Rule.STEP_ID, "step-id: 10", "step-id:"),
                row(Rule.DUPLICATE, "CLOSED, OPENING]", "CLOSED, OPENING, DRAFT]"),
                row(Rule.DUPLICATE, "[admin, system]", "[admin, system, admin]"),
                row(Rule.REQUESTER_NAME, "[admin, system]", "[admin, system, Clerk]"),
                row(Rule.REQUESTER_NAME, "[admin, system]", "[admin, system, any]"),
                row(Rule.REQUESTER_NAME, "[admin, system]", "[admin, system, a-ny]"),
                row(Rule.REQUESTER_DASHES, "[admin, system]", "[admin, system, night-shift, nightshift]"),
                row(
                        Rule.UNLISTED_REQUESTERS,
                        SOUND,
                        "billing:\n  module: b\n  entity: E\n  steps:\n    - { step-key: k, status: A, successful-state: { any: B }, action: { any: a } }\n"),
                row(
                        Rule.UNLISTED_REQUESTERS,
                        SOUND,
                        UNLISTED.replace("claim-state: { admin: [CLOSING", "claim-state: { administrator: [CLOSING")),
                row(
                        Rule.UNLISTED_REQUESTERS,
                        SOUND,
                        UNLISTED.replace("validation: { any:", "validation: { administrator:")
                                .replace("claim-state: { admin: [CLOSING", "claim-state: { any: [CLOSING")),
                row(
                        Rule.UNLISTED_REQUESTERS,
                        SOUND,
                        UNLISTED.replace("success-after-effect: { any:", "success-after-effect: { administrator:")
                                .replace("claim-state: { admin: [CLOSING", "claim-state: { any: [CLOSING")),
                row(
                        Rule.UNLISTED_REQUESTERS,
                        SOUND,
                        UNLISTED.replace("action: { any: close }", "action: { admin: close, amdin: carefully }")
                                .replace("claim-state: { admin: [CLOSING", "claim-state: { any: [CLOSING")),
                row(
                        Rule.UNLISTED_REQUESTERS,
                        SOUND,
                        UNLISTED.replace(
                                        "validation: { any: isComplete }",
                                        "validation: { any: basic, clerk: fourEyes }")
                                .replace("claim-state: { admin: [CLOSING", "claim-state: { any: [CLOSING")),
                row(
                        Rule.UNLISTED_REQUESTERS,
                        SOUND,
                        UNLISTED.replace("action: { any: close }", "action: { admin: close, adm: carefully }")
                                .replace("claim-state: { admin: [CLOSING", "claim-state: { any: [CLOSING")),
                row(Rule.REQUESTER_NAME, SOUND, UNLISTED.replace("admin", "Admin")),
                row(
                        Rule.REQUESTER_DASHES,
                        SOUND,
                        UNLISTED.replace("{ admin: reopen }", "{ ad-min: reopen }")
                                .replace("claim-state: { admin: [CLOSING", "claim-state: { any: [CLOSING")),
                row(
                        Rule.STEP_ID_TWICE,
                        SOUND,
                        SOUND.replace("step-id: 10\n      ", "").replace("step-id: 20", "step-id: 10")),
                row(Rule.UNKNOWN_REQUESTER, "validation: { any: isComplete }", "validation: { amdin: isComplete }"),
                row(Rule.UNKNOWN_REQUESTER, "action: { any: close }", "action: { any: close, clerk: close }"),
                row(Rule.UNKNOWN_REQUESTER, "claim-state: { admin: [CLOSING", "claim-state: { amdin: [CLOSING"),
                row(Rule.UNKNOWN_STATUS, "claim-state: { admin: [CLOSING,", "claim-state: { admin: [CLOSNG,"),
                row(Rule.UNKNOWN_STATUS, "successful-state: { any: CLOSED }", "successful-state: { any: ARCHIVED }"),
                row(
                        Rule.UNKNOWN_STATUS,
                        "status: CLOSED\n      claim-state: { admin: [OPENING, CLOSED] }",
                        "status: closed"),
                row(Rule.CLAIM_PAIR, "[CLOSING, APPROVED] }\n", "[] }\n"),
                row(Rule.CLAIM_PAIR, "[CLOSING, APPROVED] }\n", "[CLOSING] }\n"),
                row(Rule.CLAIM_PAIR, "[CLOSING, APPROVED] }\n", "CLOSING }\n"),
                row(Rule.CLAIM_PAIR, "[CLOSING, APPROVED] }\n", "[CLOSING, APPROVED, DRAFT] }\n"),
                row(Rule.CLAIM_PAIR, "[CLOSING, APPROVED] }\n", "{ into: CLOSING, revert-to: APPROVED } }\n"),
                row(Rule.CLAIM_REVERTS_TO_ITSELF, "[OPENING, CLOSED]", "[OPENING, OPENING]"),
                row(
                        Rule.CLAIM_IS_STATUS,
                        "status: CLOSED\n      claim-state: { admin: [OPENING, CLOSED]",
                        "status: OPENING\n      claim-state: { admin: [OPENING, OPENING]"),
                row(
                        Rule.CLAIM_IS_SUCCESS,
                        "successful-state: { admin: DRAFT }",
                        "successful-state: { admin: OPENING }"),
                row(
                        Rule.CLAIM_IS_SUCCESS,
                        "{ admin: DRAFT }\n      action: { admin: reopen }",
                        "{ admin: DRAFT, any: OPENING }\n      action: { any: reopen }"),
                row(Rule.REVERT_TO_STATUS, "[OPENING, CLOSED]", "[OPENING, DRAFT]"),
                row(Rule.ONE_REVERT_TO, "[OPENING, CLOSED]", "[CLOSING, CLOSED]"),
                row(Rule.ONE_MODULE, "dunning:\n  module: billing", "dunning:\n  module: dunning"),
                row(Rule.CLAIM_IS_RESTING, ANOTHER, ANOTHER.replace("DUNNED", "OPENING")),
                row(Rule.CLAIM_IS_RESTING, "{ any: CLOSED }", "{ any: OPENING }"),
                row(Rule.STEP_ID_TWICE, "step-id: 20", "step-id: 10"),
                row(
                        Rule.STEP_TWICE,
                        ANOTHER,
                        "    - { step-id: 30, step-key: close, status: APPROVED, successful-state: { system: CLOSED }, action: { system: close } }\n"),
                row(
                        Rule.ACTION_WITHOUT_SUCCESS,
                        "successful-state: { any: CLOSED }",
                        "successful-state: { admin: CLOSED }"),
                row(Rule.SUCCESS_WITHOUT_ACTION, "action: { any: close }", "action: { system: close }"),
                row(
                        Rule.CANNOT_RUN,
                        "action: { admin: reopen }",
                        "action: { admin: reopen }\n      validation: { system: isClosed }"),
                row(
                        Rule.CANNOT_RUN,
                        "{ admin: [OPENING, CLOSED] }",
                        "{ admin: [OPENING, CLOSED], system: [OPENING, CLOSED] }"));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void aRuleRefusesWhatNoOtherRuleRefuses(Row row) {
        Setting.Fields written = (Setting.Fields) WrittenSettings.yaml(row.yaml());

        Definitions read = DefinitionReader.read(written);

        assertThat(read.faults())
                .extracting(Fault::rule)
                .containsExactly(row.rule().shortName());
        assertThat(read.faults().get(0).sentence()).matches("(?s).{30,}[.].*").doesNotContain("%");
        assertThat(read.workflows()).hasSizeLessThan(written.entries().size());
    }

    @ParameterizedTest
    @EnumSource
    void everyRuleHasARow(Rule rule) {
        assertThat(rows()).extracting(Row::rule).contains(rule);
    }

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
    void statesRequestersAndStepIdsMayBeOmitted() {
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
    void aRequesterThatNoStepNamesStaysUnknown() {
        WorkflowDefinition workflow = DefinitionReader.read(WrittenSettings.yaml(UNLISTED))
                .workflows()
                .get(0);

        assertThat(workflow.known(Requester.of("admin"))).isPresent();
        assertThat(workflow.known(Requester.of("system"))).isEmpty();
    }

    @Test
    void everyRequesterThatAStepNamesIsListed() {
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
    void dashesUnderscoresCaseAndCommasDoNotMatter(String written, String instead) {
        Definitions read = DefinitionReader.read(WrittenSettings.yaml(SOUND.replace(written, instead)));

        assertThat(read.faults()).isEmpty();
        assertThat(read.workflows())
                .isEqualTo(DefinitionReader.read(WrittenSettings.yaml(SOUND)).workflows());
    }

    @Test
    void nothingWrittenIsNoFaultAndAnEmptyKeyIs() {
        Definitions nothing = DefinitionReader.read(new Setting.Fields("saga.workflows", null, Map.of()));
        Definitions empty = DefinitionReader.read(WrittenSettings.yaml("{}"));

        assertThat(nothing.faults()).isEmpty();
        assertThat(nothing.workflows()).isEmpty();
        assertThat(empty.faults()).extracting(Fault::rule).containsExactly("empty");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[a, b]", "billing"})
    void workflowsAreAMap(String written) {
        assertThat(DefinitionReader.read(WrittenSettings.yaml(written)).faults())
                .extracting(Fault::rule)
                .containsExactly("shape");
    }

    @Test
    void stepsAreAList() {
        String written = SOUND.substring(0, SOUND.indexOf("  steps:")) + "  steps: { '0': { step-id: 10 } }\n";

        assertThat(DefinitionReader.read(WrittenSettings.yaml(written)).faults())
                .extracting(Fault::rule)
                .containsExactly("shape");
    }

    @Test
    void everyFaultOfEveryWorkflowIsNamedAtOnceWithItsPath() {
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
    void aTypoIsAnsweredWithWhatWasProbablyMeant() {
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
    void workflowsOfTwoEntitiesAgreeOnlyWhereTheyShareATable() {
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
    void aWorkflowThatDisagreesWithAnotherIsNotAmongThoseThatBreakNoRule() {
        String written = SOUND + ANOTHER.replace("dunning:\n  module: billing", "dunning:\n  module: dunning");

        assertThat(DefinitionReader.read(WrittenSettings.yaml(written)).workflows())
                .extracting(WorkflowDefinition::name)
                .containsExactly("billing");
    }

    @Test
    void theSameCallMayBeAnsweredByTwoStepsForDifferentRequesters() {
        String written = SOUND.replace("{ any: CLOSED }", "{ admin: CLOSED }")
                        .replace("action: { any: close }", "action: { admin: close }")
                + "    - { step-id: 30, step-key: close, status: APPROVED, successful-state: { system: CLOSED },"
                + " action: { system: close } }\n";

        assertThat(DefinitionReader.read(WrittenSettings.yaml(written)).faults())
                .isEmpty();
    }

    @Test
    void nothingInAMessageCanForgeALineOrFillTheLog() {
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
    void depthAndBreadthAreNoTrouble() {
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
