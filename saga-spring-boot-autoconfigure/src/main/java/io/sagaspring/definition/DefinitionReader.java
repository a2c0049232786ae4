package io.sagaspring.definition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Turns the configured workflows into definitions, and reports the faults in them.
 *
 * @since 0.1.0
 */
public final class DefinitionReader {

    private final Faults faults = new Faults();
    private final List<WorkflowRead> read = new ArrayList<>();
    private final List<WorkflowRead> sound = new ArrayList<>();

    private DefinitionReader() {}

    /**
     * Reads the configured workflows.
     *
     * @param workflows the workflows by name; a map without entries if none is configured
     * @return the definitions, and every fault
     */
    public static Definitions read(Setting workflows) {
        return new DefinitionReader().readAll(workflows);
    }

    private Definitions readAll(Setting workflows) {
        if (workflows instanceof Setting.Fields fields) {
            Map<String, String> names = new HashMap<>();
            fields.entries().forEach((name, setting) -> {
                String other = names.putIfAbsent(Key.relaxed(name), name);
                if (other != null) {
                    faults.add(
                            Rule.KEY_TWICE,
                            setting,
                            "Workflows %s and %s differ only in dashes or case, which Spring Boot ignores in keys."
                                            .formatted(Printable.quoted(other), Printable.quoted(name))
                                    + " Rename one.");
                }
                readOne(name, setting);
            });
        } else if (ValueReader.isEmpty(workflows)) {
            faults.add(
                    Rule.EMPTY, workflows, "There is no workflow below this key. Add at least one, or remove the key.");
        } else {
            faults.add(
                    Rule.SHAPE,
                    workflows,
                    "The value must be a map of workflows by name, but it is %s. Write each workflow's name with its keys below it."
                            .formatted(ValueReader.shapeOf(workflows)));
        }
        SharedStates states = new SharedStates(read);
        states.judge(UnaryOperator.identity(), faults);
        return new Definitions(
                // A workflow without a fault of its own may still contradict another workflow.
                sound.stream()
                        .filter(workflow -> !faults.concern(workflow.from()))
                        .map(WorkflowRead::definition)
                        .toList(),
                faults.found(),
                states,
                read.stream()
                        .filter(workflow -> !sound.contains(workflow) || faults.concern(workflow.from()))
                        .map(WorkflowRead::asFarAsRead)
                        .toList());
    }

    private void readOne(String name, Setting setting) {
        int before = faults.count();
        WorkflowRead workflow = new WorkflowReader(faults).read(name, setting);
        if (workflow != null) {
            read.add(workflow);
            if (faults.count() == before) {
                sound.add(workflow);
            }
        }
    }

    /**
     * The result of reading.
     *
     * @param workflows the workflows that break no rule; all of them if there is no fault
     * @param faults all faults
     * @param states the component that checks workflows on the same table against each other
     * @param unsound the workflows that break a rule, so that the names in them can be checked as well
     */
    public record Definitions(
            List<WorkflowDefinition> workflows, List<Fault> faults, SharedStates states, List<Unsound> unsound) {

        /**
         * Creates a result without unsound workflows and without checks between workflows.
         *
         * @param workflows the definitions
         * @param faults all faults
         */
        public Definitions(List<WorkflowDefinition> workflows, List<Fault> faults) {
            this(workflows, faults, SharedStates.none(), List.of());
        }

        /**
         * Returns the same definitions with other faults.
         *
         * @param all all faults
         * @return the definitions
         */
        public Definitions withFaults(List<Fault> all) {
            return new Definitions(workflows, all, states, unsound);
        }

        /**
         * Checks the workflows again, grouped by table.
         *
         * @param tableOfEntity the function that returns the table of an entity's class name, or the class name itself
         *     if the class has no table
         * @return the faults between workflows on one table
         */
        public List<Fault> faultsByTable(UnaryOperator<String> tableOfEntity) {
            return states.faultsByTable(tableOfEntity);
        }
    }

    /**
     * The readable part of a workflow that breaks a rule.
     *
     * @param name the name of the workflow
     * @param entity the class name of the entity; empty if it could not be read
     * @param statusProperty the entity's property that holds the state
     * @param statusTypes the states that could be read
     * @param steps the steps by their property paths
     */
    public record Unsound(
            String name,
            String entity,
            String statusProperty,
            List<String> statusTypes,
            Map<String, StepDefinition> steps) {}
}
