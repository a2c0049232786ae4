package io.sagaspring.saga;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunCatalog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The sagas of this node, in the form of durable runs. If definitions have faults, the constructor throws an exception
 * that lists all of them.
 */
final class SagaCatalog {

    private final List<SagaPlan<?>> plans;

    SagaCatalog(
            Collection<? extends Saga<?>> sagas,
            Function<Class<?>, Optional<SagaTask<?, ?>>> tasks,
            DefinitionRules rules) {
        List<String> faults = new ArrayList<>(rules.faultsOfKeys());
        List<SagaPlan<?>> read = new ArrayList<>();
        sagas.forEach(saga -> read.add(SagaPlan.of(saga, tasks, rules, faults)));
        Set<Class<?>> types = new HashSet<>();
        read.stream()
                .map(SagaPlan::type)
                .filter(type -> !types.add(type))
                .forEach(type -> faults.add(
                        "Two sagas have the class %s, but a saga is started by its class. Use a separate class for each."
                                .formatted(type.getName())));
        if (!faults.isEmpty()) {
            throw new InvalidSagasException(faults);
        }
        this.plans = List.copyOf(read);
    }

    List<SagaPlan<?>> plans() {
        return plans;
    }

    Optional<SagaPlan<?>> find(String name) {
        return plans.stream().filter(each -> each.name().equals(name)).findFirst();
    }

    /**
     * Returns the plan of the saga with this class. A superclass or an interface is accepted if only one saga has it.
     */
    SagaPlan<?> of(Class<?> saga) {
        List<SagaPlan<?>> found = plans.stream()
                .filter(each -> saga.isAssignableFrom(each.type()))
                .toList();
        List<SagaPlan<?>> exactly =
                found.stream().filter(each -> each.type() == saga).toList();
        List<SagaPlan<?>> kinds = exactly.isEmpty() ? found : exactly;
        if (kinds.size() != 1) {
            throw new IllegalArgumentException("There is %s saga of type %s. Pass the class of one of these sagas: %s."
                    .formatted(
                            kinds.isEmpty() ? "no" : "more than one",
                            saga.getName(),
                            plans.stream().map(SagaPlan::name).toList()));
        }
        return kinds.get(0);
    }

    List<RunCatalog.Code> code(SagaTools tools) {
        return plans.stream().flatMap(plan -> code(plan, tools)).toList();
    }

    private static <I> Stream<RunCatalog.Code> code(SagaPlan<I> plan, SagaTools tools) {
        String definition = JournalNames.definition(plan.hash());
        RunCatalog.Code code = new RunCatalog.Code(
                plan.name(),
                plan.type(),
                new SagaRun<>(plan, definition, tools),
                plan.input(),
                Void.class,
                null,
                plan.timeout(),
                plan::labelsOf,
                definition);
        if (plan.steps().stream().noneMatch(PlannedStep::fireAndForget)) {
            return Stream.of(code);
        }
        DurableRun<?, ?> fireAndForget = new FireAndForgetRun<>(plan, tools);
        return Stream.of(
                code,
                new RunCatalog.Code(
                        fireAndForget.name(),
                        FireAndForgetRun.class,
                        fireAndForget,
                        FireAndForgetRun.inputOf(plan),
                        Void.class));
    }
}
