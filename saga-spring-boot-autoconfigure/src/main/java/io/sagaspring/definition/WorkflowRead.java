package io.sagaspring.definition;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A workflow as far as it could be read. */
record WorkflowRead(
        Setting from,
        String name,
        @Nullable Named module,
        @Nullable Named entity,
        String statusProperty,
        NamesRead statusTypes,
        NamesRead requesters,
        List<StepRead> steps) {

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
