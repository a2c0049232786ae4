package io.sagaspring.definition;

import java.util.List;

/** Makes definitions of what was written, or says what is wrong with it. */
public final class DefinitionReader {

    private DefinitionReader() {}

    /**
     * Reads what was written.
     *
     * @param workflows the workflows, by their names
     * @return the definitions, and every fault
     */
    public static Definitions read(Setting workflows) {
        return new Definitions(List.of(), List.of(new Fault(workflows.path(), "", "", workflows.place())));
    }

    /**
     * What was read.
     *
     * @param workflows those that break no rule; all of them where there is no fault
     * @param faults everything that is wrong
     */
    public record Definitions(List<WorkflowDefinition> workflows, List<Fault> faults) {}
}
