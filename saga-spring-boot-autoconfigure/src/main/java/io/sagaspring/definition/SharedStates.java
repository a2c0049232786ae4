package io.sagaspring.definition;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Compares workflows that change the same rows, and reports contradictions. The configuration only shows which
 * workflows name the same entity. Once the mapping is known, {@link #faultsByTable} also compares workflows for
 * different entities on one table.
 */
final class SharedStates {

    private static final SharedStates NONE = new SharedStates(List.of());

    private final List<WorkflowRead> workflows;

    SharedStates(List<WorkflowRead> workflows) {
        this.workflows = List.copyOf(workflows);
    }

    static SharedStates none() {
        return NONE;
    }

    /**
     * Checks the workflows again, grouped by table.
     *
     * @param tableOfEntity the function that returns the table of an entity's class name, or the class name itself if
     *     the class has no table
     * @return the faults between workflows on one table
     */
    List<Fault> faultsByTable(UnaryOperator<String> tableOfEntity) {
        Faults faults = new Faults();
        judge(tableOfEntity, faults);
        return faults.found();
    }

    void judge(UnaryOperator<String> tableOfEntity, Faults faults) {
        groups(tableOfEntity).forEach(group -> new Group(faults).judge(group));
    }

    private Collection<List<WorkflowRead>> groups(UnaryOperator<String> tableOfEntity) {
        return workflows.stream()
                .collect(Collectors.groupingBy(
                        workflow -> tableOf(workflow, tableOfEntity), LinkedHashMap::new, Collectors.toList()))
                .values();
    }

    private static Object tableOf(WorkflowRead workflow, UnaryOperator<String> tableOfEntity) {
        Named entity = workflow.entity();
        return entity == null ? new Object() : tableOfEntity.apply(entity.text());
    }

    private record Use(WorkflowRead workflow, StepRead step, Named state) {

        String label() {
            return "the %s of workflow %s".formatted(step.label(), Printable.quoted(workflow.name()));
        }
    }

    private record Claimed(Use use, ClaimRead claim) {}

    private static final class Group {

        private final Faults faults;
        private final Map<String, Claimed> firstClaim = new HashMap<>();
        private final Map<String, Use> firstModule = new HashMap<>();
        private final Map<String, Use> resting = new HashMap<>();
        private final Map<String, Use> restingElsewhere = new HashMap<>();

        Group(Faults faults) {
            this.faults = faults;
        }

        void judge(List<WorkflowRead> group) {
            for (WorkflowRead workflow : group) {
                for (StepRead step : workflow.steps()) {
                    step.restingStates().forEach(state -> rest(new Use(workflow, step, state)));
                }
            }
            for (WorkflowRead workflow : group) {
                for (StepRead step : workflow.steps()) {
                    Set<String> judged = new HashSet<>();
                    for (ClaimRead claim : step.claims().values()) {
                        Use use = new Use(workflow, step, claim.into());
                        oneRevertTo(new Claimed(use, claim));
                        if (judged.add(claim.into().text())) {
                            oneModule(use);
                            neverResting(use);
                        }
                    }
                }
            }
        }

        /**
         * Remembers up to two steps that start from a state or lead to it. Two are enough: at least one of them is not
         * the step whose claim is checked.
         */
        private void rest(Use use) {
            Use first = resting.putIfAbsent(use.state().text(), use);
            if (first != null && !first.step().equals(use.step())) {
                restingElsewhere.putIfAbsent(use.state().text(), use);
            }
        }

        private void oneRevertTo(Claimed claimed) {
            Named into = claimed.claim().into();
            Named revertTo = claimed.claim().revertTo();
            Claimed first = firstClaim.putIfAbsent(into.text(), claimed);
            if (first != null && !first.claim().revertTo().text().equals(revertTo.text())) {
                faults.add(
                        Rule.ONE_REVERT_TO,
                        revertTo.from(),
                        "The claim state %s reverts to %s here and to %s in %s, so the janitor could not know to which status it"
                                        .formatted(
                                                into.quoted(),
                                                revertTo.quoted(),
                                                first.claim().revertTo().quoted(),
                                                first.use().label())
                                + " must revert a stuck claim. Use a separate claim state for each 'status'.");
            }
        }

        private void oneModule(Use use) {
            Named module = use.workflow().module();
            if (module == null) {
                return;
            }
            Use first = firstModule.putIfAbsent(use.state().text(), use);
            if (first != null
                    && first.workflow().module() != null
                    && !first.workflow().module().text().equals(module.text())) {
                faults.add(
                        Rule.ONE_MODULE,
                        use.state().from(),
                        "The claim state %s of module %s also belongs to module %s, through %s. Two janitors would revert it. Use a separate claim"
                                        .formatted(
                                                use.state().quoted(),
                                                module.quoted(),
                                                first.workflow().module().quoted(),
                                                first.label())
                                + " state in each module.");
            }
        }

        private void neverResting(Use use) {
            Use other = resting.get(use.state().text());
            if (other != null && other.step().equals(use.step())) {
                other = restingElsewhere.get(use.state().text());
            }
            if (other != null) {
                faults.add(
                        Rule.CLAIM_IS_RESTING,
                        use.state().from(),
                        "The claim state %s is a 'status' or 'successful-state' of %s, so an entity without a claim would be taken for a"
                                        .formatted(use.state().quoted(), other.label())
                                + " claimed one and would be reverted. Claim into a state that no step starts from or leads to.");
            }
        }
    }
}
