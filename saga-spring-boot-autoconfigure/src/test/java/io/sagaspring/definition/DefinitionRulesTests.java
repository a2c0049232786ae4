package io.sagaspring.definition;

import static io.sagaspring.definition.DefinitionRulesTests.Row.row;
import static io.sagaspring.definition.WrittenDefinitions.ANOTHER;
import static io.sagaspring.definition.WrittenDefinitions.SOUND;
import static io.sagaspring.definition.WrittenDefinitions.UNLISTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.definition.DefinitionReader.Definitions;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each rule refuses a definition that no other rule refuses. Each rule has a row that fails if the rule is removed. */
class DefinitionRulesTests {

    record Row(Rule rule, String written, String replacement) {

        static Row row(Rule rule, String written, String replacement) {
            return new Row(rule, written, replacement);
        }

        String yaml() {
            String both = SOUND + ANOTHER;
            assertThat(both).contains(written);
            int at = both.indexOf(written);
            return both.substring(0, at) + replacement + both.substring(at + written.length());
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
    void aRuleRefusesADefinitionThatNoOtherRuleRefuses(Row row) {
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
}
