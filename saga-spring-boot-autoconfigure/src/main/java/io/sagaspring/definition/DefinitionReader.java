package io.sagaspring.definition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Makes definitions of what was written, or says what is wrong with it.
 *
 * @since 0.1.0
 */
public final class DefinitionReader {

    private final Faults faults = new Faults();
    private final List<WorkflowRead> read = new ArrayList<>();
    private final List<WorkflowRead> sound = new ArrayList<>();

    private DefinitionReader() {}

    /**
     * Reads what was written.
     *
     * @param workflows the workflows, by their names; a map without entries where nothing was written
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
                            "Workflows %s and %s differ in dashes and case only, which Spring Boot does not tell apart in a key."
                                            .formatted(Printable.quoted(other), Printable.quoted(name))
                                    + " Rename one.");
                }
                readOne(name, setting);
            });
        } else if (ValueReader.isEmpty(workflows)) {
            faults.add(Rule.EMPTY, workflows, "There is no workflow. Write at least one, or leave the key out.");
        } else {
            faults.add(
                    Rule.SHAPE,
                    workflows,
                    "The workflows are a map by their names, and this is %s. Write the name of a workflow, and its keys below."
                            .formatted(ValueReader.shapeOf(workflows)));
        }
        SharedStates states = new SharedStates(read);
        states.judge(UnaryOperator.identity(), faults);
        return new Definitions(
                // A workflow that is sound by itself may still disagree with another.
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
     * What was read.
     *
     * @param workflows those that break no rule; all of them where there is no fault
     * @param faults everything that is wrong
     * @param states what workflows on the same table must agree on
     * @param unsound those that break a rule, so that what they name can be checked nevertheless
     */
    public record Definitions(
            List<WorkflowDefinition> workflows, List<Fault> faults, SharedStates states, List<Unsound> unsound) {

        /**
         * Definitions that were not read.
         *
         * @param workflows the definitions
         * @param faults everything that is wrong
         */
        public Definitions(List<WorkflowDefinition> workflows, List<Fault> faults) {
            this(workflows, faults, SharedStates.none(), List.of());
        }

        /**
         * Returns the same definitions with other faults.
         *
         * @param all everything that is wrong
         * @return the definitions
         */
        public Definitions withFaults(List<Fault> all) {
            return new Definitions(workflows, all, states, unsound);
        }

        /**
         * Judges the workflows again, by table.
         *
         * @param tableOfEntity the table of an entity's class name; the class name itself where there is none
         * @return what is wrong between workflows on one table
         */
        public List<Fault> faultsByTable(UnaryOperator<String> tableOfEntity) {
            return states.faultsByTable(tableOfEntity);
        }
    }

    /**
     * A workflow that breaks a rule, as far as it could be read.
     *
     * @param name the name of the workflow
     * @param entity the class name of the JPA entity; empty if it could not be read
     * @param statusProperty the entity's property that holds the state
     * @param statusTypes the states that could be read
     * @param steps by their paths
     */
    public record Unsound(
            String name,
            String entity,
            String statusProperty,
            List<String> statusTypes,
            Map<String, StepDefinition> steps) {}
}
