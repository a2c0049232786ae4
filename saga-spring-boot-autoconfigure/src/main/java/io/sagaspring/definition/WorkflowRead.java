package io.sagaspring.definition;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The configuration of a workflow, as far as it could be read. */
record WorkflowRead(
        Setting from,
        String name,
        @Nullable Named module,
        @Nullable Named entity,
        String statusProperty,
        NamesRead statusTypes,
        NamesRead requesters,
        List<StepRead> steps) {

    DefinitionReader.Unsound asFarAsRead() {
        Map<String, StepDefinition> byPath = new LinkedHashMap<>();
        steps.forEach(step -> byPath.put(step.from().path(), step.asFarAsRead()));
        return new DefinitionReader.Unsound(
                name, entity == null ? "" : entity.text(), statusProperty, statusTypes.texts(), byPath);
    }

    WorkflowDefinition definition() {
        return new WorkflowDefinition(
                name,
                Objects.requireNonNull(module).text(),
                Objects.requireNonNull(entity).text(),
                statusProperty,
                statusTypes.texts(),
                requesters.texts().stream().map(Requester::of).toList(),
                steps.stream().map(StepRead::definition).toList());
    }
}
