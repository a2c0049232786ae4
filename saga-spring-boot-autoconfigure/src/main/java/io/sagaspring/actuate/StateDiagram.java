package io.sagaspring.actuate;

import io.sagaspring.definition.Requester;
import io.sagaspring.definition.StepDefinition;
import io.sagaspring.definition.WorkflowDefinition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A workflow as a Mermaid {@code stateDiagram-v2}. The diagram shows the target of each step, its requesters and its
 * claim state. The identifiers of states are numbered. Configured names occur only in labels, and special characters in
 * them are escaped.
 */
final class StateDiagram {

    private final WorkflowDefinition workflow;
    private final Map<String, String> identifiers = new LinkedHashMap<>();
    private final Set<String> claimStates = new LinkedHashSet<>();
    private final Set<String> arrows = new LinkedHashSet<>();

    private StateDiagram(WorkflowDefinition workflow) {
        this.workflow = workflow;
        workflow.statusTypes().forEach(this::identifier);
        workflow.steps().forEach(this::draw);
    }

    static String of(WorkflowDefinition workflow) {
        return new StateDiagram(workflow).text();
    }

    private record Path(StepDefinition.@Nullable ClaimPair claim, String target) {}

    private void draw(StepDefinition step) {
        Map<Path, List<String>> requesters = new LinkedHashMap<>();
        for (Requester requester : workflow.requesters()) {
            step.successfulState()
                    .of(requester)
                    .ifPresent(target -> requesters
                            .computeIfAbsent(
                                    new Path(step.claimFor(requester).orElse(null), target), path -> new ArrayList<>())
                            .add(requester.name()));
        }
        requesters.forEach((path, names) ->
                draw(step, path, "%s (%s)".formatted(escaped(step.key()), String.join(", ", names))));
    }

    private void draw(StepDefinition step, Path path, String label) {
        StepDefinition.ClaimPair claim = path.claim();
        if (claim == null) {
            arrow(step.status(), path.target(), label);
            return;
        }
        claimStates.add(identifier(claim.into()));
        arrow(step.status(), claim.into(), label);
        arrow(claim.into(), path.target(), label + " succeeds");
        arrow(claim.into(), claim.revertTo(), "reverts");
    }

    private void arrow(String from, String to, String label) {
        arrows.add("%s --> %s : %s".formatted(identifier(from), identifier(to), label));
    }

    private String identifier(String state) {
        return identifiers.computeIfAbsent(state, added -> "s" + (identifiers.size() + 1));
    }

    private String text() {
        List<String> lines = new ArrayList<>();
        lines.add("stateDiagram-v2");
        identifiers.forEach(
                (state, identifier) -> lines.add("    state \"%s\" as %s".formatted(escaped(state), identifier)));
        arrows.forEach(arrow -> lines.add("    " + arrow));
        if (!claimStates.isEmpty()) {
            lines.add("    classDef claim stroke-dasharray: 5 5");
            lines.add("    class %s claim".formatted(String.join(",", claimStates)));
        }
        return lines.stream().collect(Collectors.joining("\n", "", "\n"));
    }

    /**
     * Escapes a label. Mermaid has no quoting that works everywhere, but it decodes entities such as {@code #35;}
     * wherever it shows text. Blanks are also escaped, because Mermaid reads {@code direction LR} as a command anywhere
     * in a line.
     */
    private static String escaped(String text) {
        StringBuilder shown = new StringBuilder();
        text.codePoints().forEach(each -> {
            if (Character.isLetterOrDigit(each) || "_-.".indexOf(each) >= 0) {
                shown.appendCodePoint(each);
            } else {
                shown.append('#').append(each).append(';');
            }
        });
        return shown.toString();
    }
}
