package io.sagaspring.definition;

import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reads one workflow, and checks what can be checked without the other workflows. */
final class WorkflowReader {

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*");

    private final Faults faults;
    private final ValueReader values;

    WorkflowReader(Faults faults) {
        this.faults = faults;
        this.values = new ValueReader(faults);
    }

    @Nullable
    WorkflowRead read(String name, Setting setting) {
        if (!NAME.matcher(name).matches()) {
            faults.add(
                    Rule.WORKFLOW_NAME,
                    setting,
                    "A workflow's name must start with a lower case letter and contain only lower case letters, digits and dashes,"
                            + " but it is %s. Rename it.".formatted(Printable.quoted(name)));
        }
        if (!(setting instanceof Setting.Fields fields)) {
            faults.add(
                    Rule.SHAPE,
                    setting,
                    "A workflow must be a map of keys, but %s is %s. Write 'module:' and the other keys below its name."
                            .formatted(Printable.quoted(name), ValueReader.shapeOf(setting)));
            return null;
        }
        KeyedFields keyed =
                KeyedFields.of(fields, Key.Place.WORKFLOW, "Workflow %s".formatted(Printable.quoted(name)), faults);
        Setting listed = keyed.get(Key.REQUESTERS);
        NamedRequesters named = new NamedRequesters(faults);
        NamesRead requesters = listed == null ? named.read(name, fields, keyed.get(Key.STEPS)) : values.names(listed);
        Named statusProperty = values.name(keyed.get(Key.STATUS_PROPERTY));
        WorkflowRead workflow = new WorkflowRead(
                fields,
                name,
                values.name(keyed.get(Key.MODULE)),
                values.name(keyed.get(Key.ENTITY)),
                statusProperty == null ? "status" : statusProperty.text(),
                values.names(keyed.get(Key.STATUS_TYPES)),
                requesters,
                steps(keyed.get(Key.STEPS), new StepReader(faults, requesters)));
        new RequesterRules(faults).judge(requesters);
        workflow.steps().forEach(new StepRules(faults, workflow)::judge);
        if (listed == null) {
            workflow.steps().forEach(step -> named.judge(step, requesters));
        }
        new StepListRules(faults).judge(workflow);
        return workflow;
    }

    private List<StepRead> steps(@Nullable Setting setting, StepReader reader) {
        if (setting == null) {
            return List.of();
        }
        if (ValueReader.isEmpty(setting)) {
            faults.add(Rule.EMPTY, setting, "The workflow has no steps. Add at least one.");
            return List.of();
        }
        if (!(setting instanceof Setting.Items list)) {
            faults.add(
                    Rule.SHAPE,
                    setting,
                    "The steps must be a list of maps, but the value is %s. Begin each step with '- step-key:'."
                            .formatted(ValueReader.shapeOf(setting)));
            return List.of();
        }
        return IntStream.range(0, list.items().size())
                .mapToObj(index -> reader.read(list.items().get(index), index))
                .filter(Objects::nonNull)
                .toList();
    }
}
