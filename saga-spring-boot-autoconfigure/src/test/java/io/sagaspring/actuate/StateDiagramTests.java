package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.definition.Requester;
import io.sagaspring.definition.StepDefinition;
import io.sagaspring.definition.WorkflowDefinition;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A diagram is valid, whatever the names of the states are. */
class StateDiagramTests {

    /** The shop's workflow, which the documentation shows as well. */
    static final String PARCEL = """
            stateDiagram-v2
                state "PACKED" as s1
                state "SENDING" as s2
                state "SENT" as s3
                state "LOST" as s4
                s1 --> s2 : send (admin)
                s2 --> s3 : send (admin) succeeds
                s2 --> s1 : reverts
                s1 --> s3 : send (system)
                s3 --> s4 : lose (admin, system)
                classDef claim stroke-dasharray: 5 5
                class s2 claim
            """;

    private static final String NAME = "([\\p{L}\\p{N}_.-]|#\\d+;)+";
    private static final String LINE = "stateDiagram-v2"
            + "|    state \"" + NAME + "\" as s\\d+"
            + "|    s\\d+ --> s\\d+ : " + NAME + " \\(admin\\)( succeeds)?"
            + "|    s\\d+ --> s\\d+ : reverts"
            + "|    classDef claim stroke-dasharray: 5 5"
            + "|    class s\\d+(,s\\d+)* claim";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\"b",
                "a\nb --> c",
                "a : b",
                "a;b",
                "%%{init: {}}%%",
                "%% comment",
                "<script>alert(1)</script>",
                "<<fork>>",
                "[*]",
                "#quot;",
                "end",
                "note right of",
                "state",
                "--",
                "{",
                "`md`",
                "Ärger 🚚 İ",
                "\u202Ereversed",
                "style x:#1;",
                "direction LR",
            })
    void noNameBreaksTheDiagram(String name) {
        String diagram = StateDiagram.of(workflow(name));

        assertThat(diagram.lines()).hasSize(8).allMatch(line -> line.matches(LINE));
    }

    @Test
    void charactersThatALabelCannotContainAreEncoded() {
        assertThat(StateDiagram.of(workflow("a\"b;#")))
                .contains("state \"a#34;b#59;#35;\" as s1")
                .contains("s1 --> s2 : a#34;b#59;#35; (admin)");
    }

    @Test
    void theNumberOfAStateDoesNotDependOnItsName() {
        assertThat(StateDiagram.of(workflow("s2"))).contains("state \"s2\" as s1", "state \"s2#32;claimed\" as s2");
    }

    private static WorkflowDefinition workflow(String name) {
        StepDefinition step = new StepDefinition(
                1,
                name,
                name,
                new StepDefinition.PerRequester<>(Map.of("any", new StepDefinition.ClaimPair(name + " claimed", name))),
                new StepDefinition.PerRequester<>(Map.of("any", name + " claimed")),
                new StepDefinition.PerRequester<>(Map.of()),
                new StepDefinition.PerRequester<>(Map.of("any", "bean")),
                new StepDefinition.PerRequester<>(Map.of()));
        return new WorkflowDefinition(
                "w",
                "m",
                "E",
                "status",
                List.of(name, name + " claimed"),
                List.of(Requester.of("admin")),
                List.of(step));
    }
}
