package io.sagaspring.autoconfigure.source;

import io.sagaspring.definition.Requester;
import io.sagaspring.definition.StepDefinition;
import io.sagaspring.definition.WorkflowDefinition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Implements the rules independently of the reader, only from the specification. Speed and helpful messages do not
 * matter here.
 */
final class SpecifiedDefinitions {

    private final List<String> objections = new ArrayList<>();

    private SpecifiedDefinitions() {}

    /**
     * Returns the rules of the specification that the definitions violate, and the configured values that the
     * definitions lack.
     */
    static List<String> objections(List<WorkflowDefinition> workflows, List<Object> trees) {
        SpecifiedDefinitions specified = new SpecifiedDefinitions();
        workflows.forEach(specified::judge);
        specified.judgeTogether(workflows);
        trees.forEach(tree -> specified.judgeNothingWasDropped(workflows, tree));
        return specified.objections;
    }

    private void must(boolean holds, String rule, Object subject) {
        if (!holds) {
            objections.add("%s: %s".formatted(rule, subject));
        }
    }

    private void judge(WorkflowDefinition workflow) {
        must(workflow.name().matches("[a-z][a-z0-9-]*"), "workflow name", workflow.name());
        List<String> requesters =
                workflow.requesters().stream().map(Requester::name).toList();
        must(!requesters.isEmpty(), "requesters", workflow);
        must(
                requesters.stream()
                                .map(each -> each.replace("-", ""))
                                .distinct()
                                .count()
                        == requesters.size(),
                "requesters distinct without dashes",
                requesters);
        must(requesters.stream().allMatch(each -> each.matches("[a-z][a-z0-9-]*")), "requester names", requesters);
        must(requesters.stream().noneMatch("any"::equals), "any is reserved", requesters);
        must(
                new HashSet<>(workflow.statusTypes()).size()
                        == workflow.statusTypes().size(),
                "states once",
                workflow);
        must(!workflow.steps().isEmpty(), "steps", workflow);
        must(!workflow.module().isBlank() && !workflow.entity().isBlank(), "module and entity", workflow);
        must(
                workflow.steps().stream().map(StepDefinition::id).distinct().count()
                        == workflow.steps().size(),
                "duplicate step ids",
                workflow);
        for (StepDefinition step : workflow.steps()) {
            judge(step, workflow);
            for (StepDefinition other : workflow.steps()) {
                boolean sameCall = step.id() != other.id()
                        && step.key().equals(other.key())
                        && step.status().equals(other.status());
                must(
                        !sameCall
                                || workflow.requesters().stream()
                                        .noneMatch(each -> step.isOpenTo(each) && other.isOpenTo(each)),
                        "same key, status and requester",
                        step);
            }
        }
    }

    private void judge(StepDefinition step, WorkflowDefinition workflow) {
        Set<String> allowed = new HashSet<>(Set.of("any"));
        workflow.requesters().forEach(each -> allowed.add(each.name()));
        Stream.of(
                        step.claimState(),
                        step.successfulState(),
                        step.validation(),
                        step.action(),
                        step.successAfterEffect())
                .map(StepDefinition.PerRequester::entries)
                .forEach(entries -> must(allowed.containsAll(entries.keySet()), "keys are requesters", entries));
        List<String> states = workflow.statusTypes().isEmpty() ? step.states() : workflow.statusTypes();
        must(states.contains(step.status()), "status is listed", step);
        step.successfulState().values().forEach(each -> must(states.contains(each), "success is listed", step));
        for (StepDefinition.ClaimPair pair : step.claimState().values()) {
            must(states.contains(pair.into()), "rule 2, into", step);
            must(states.contains(pair.revertTo()), "rule 2, revert-to", step);
            must(!pair.into().equals(pair.revertTo()), "rule 3", step);
            must(!pair.into().equals(step.status()), "rule 4", step);
            must(pair.revertTo().equals(step.status()), "rule 7, revert-to is status", step);
        }
        boolean anyActs = false;
        for (Requester requester : workflow.requesters()) {
            boolean acts = step.action().of(requester).isPresent();
            anyActs |= acts;
            must(acts == step.successfulState().of(requester).isPresent(), "action and success", step);
            must(
                    acts || !step.claimState().entries().containsKey(requester.name()),
                    "claim only for a requester with an action",
                    step);
            String into =
                    step.claimFor(requester).map(StepDefinition.ClaimPair::into).orElse("");
            for (Requester any : workflow.requesters()) {
                must(!into.equals(step.successfulState().of(any).orElse("-")), "rule 5", step);
            }
        }
        must(anyActs, "some requester may run the step", step);
    }

    private void judgeTogether(List<WorkflowDefinition> workflows) {
        for (WorkflowDefinition one : workflows) {
            for (WorkflowDefinition other : workflows) {
                if (!one.entity().equals(other.entity())) {
                    continue;
                }
                for (StepDefinition.ClaimPair pair : claims(one)) {
                    for (StepDefinition.ClaimPair theirs : claims(other)) {
                        boolean same = pair.into().equals(theirs.into());
                        must(!same || pair.revertTo().equals(theirs.revertTo()), "rule 6", pair);
                        must(!same || one.module().equals(other.module()), "one module", pair);
                    }
                    for (StepDefinition step : other.steps()) {
                        must(!step.status().equals(pair.into()), "claim state is a status", step);
                        must(!step.successfulState().values().contains(pair.into()), "claim state is a success", step);
                    }
                }
            }
        }
    }

    private static List<StepDefinition.ClaimPair> claims(WorkflowDefinition workflow) {
        return workflow.steps().stream()
                .flatMap(step -> step.claimState().values().stream())
                .toList();
    }

    private void judgeNothingWasDropped(List<WorkflowDefinition> workflows, Object tree) {
        List<String> written = new ArrayList<>();
        leaves(tree, written);
        List<String> read = new ArrayList<>();
        List<String> mayBeLeftOut = new ArrayList<>();
        for (WorkflowDefinition workflow : workflows) {
            read.addAll(List.of(workflow.module(), workflow.entity()));
            if (!workflow.statusProperty().equals("status")) {
                read.add(workflow.statusProperty());
            }
            read.addAll(workflow.statusTypes());
            workflow.requesters().forEach(each -> mayBeLeftOut.add(each.name()));
            for (StepDefinition step : workflow.steps()) {
                mayBeLeftOut.add(String.valueOf(step.id()));
                read.addAll(List.of(step.key(), step.status()));
                step.claimState().values().forEach(pair -> read.addAll(List.of(pair.into(), pair.revertTo())));
                Stream.of(step.successfulState(), step.validation(), step.action(), step.successAfterEffect())
                        .forEach(entries -> read.addAll(entries.values()));
            }
        }
        List<String> unread = new ArrayList<>(parts(written));
        boolean allIsWritten = parts(read).stream().allMatch(unread::remove);
        boolean allIsRead = unread.stream().allMatch(parts(mayBeLeftOut)::contains);
        must(allIsWritten && allIsRead, "nothing is dropped", parts(written) + " and " + parts(read));
    }

    private static List<String> parts(List<String> texts) {
        return texts.stream()
                .flatMap(text -> Stream.of(text.split(",", -1)))
                .map(String::strip)
                .sorted()
                .toList();
    }

    private static void leaves(@Nullable Object value, List<String> found) {
        if (value instanceof Map<?, ?> map) {
            map.values().forEach(entry -> leaves(entry, found));
        } else if (value instanceof List<?> list) {
            list.forEach(item -> leaves(item, found));
        } else {
            found.add("${a:CLOSED}".equals(value) ? "CLOSED" : String.valueOf(value));
        }
    }
}
