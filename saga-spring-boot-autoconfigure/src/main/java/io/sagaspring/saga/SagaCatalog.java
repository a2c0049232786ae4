package io.sagaspring.saga;

import io.sagaspring.run.RunCatalog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** All sagas of this node, as the code of runs. All that is wrong with them is told at once. */
final class SagaCatalog {

    private final List<Plan<?>> plans;

    SagaCatalog(Collection<? extends Saga<?>> sagas, SagaDefinition.Tasks tasks) {
        List<String> faults = new ArrayList<>();
        List<Plan<?>> read = new ArrayList<>();
        sagas.forEach(saga -> read.add(Plan.of(saga, tasks, faults)));
        if (!faults.isEmpty()) {
            throw new InvalidSagasException(faults);
        }
        this.plans = List.copyOf(read);
    }

    List<RunCatalog.Code> code(SagaRun.Tools tools) {
        return plans.stream().map(plan -> code(plan, tools)).toList();
    }

    private static <I> RunCatalog.Code code(Plan<I> plan, SagaRun.Tools tools) {
        return new RunCatalog.Code(plan.name(), plan.type(), new SagaRun<>(plan, tools), plan.input(), Void.class);
    }
}
