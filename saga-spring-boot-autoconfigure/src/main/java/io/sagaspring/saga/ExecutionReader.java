package io.sagaspring.saga;

import io.sagaspring.run.NoSuchRunException;
import io.sagaspring.run.Payloads;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.VisibleRuns;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.util.function.SingletonSupplier;

/** Reads the executions that the caller may see. */
final class ExecutionReader {

    private final VisibleRuns runs;
    private final SagaCatalog catalog;
    private final Payloads payloads;
    private final Json json;

    ExecutionReader(VisibleRuns runs, SagaCatalog catalog, Payloads payloads, Json json) {
        this.runs = runs;
        this.catalog = catalog;
        this.payloads = payloads;
        this.json = json;
    }

    /** Returns the execution without its history, which is read only if it is needed. */
    Optional<AddressedExecution> address(RunId id) {
        return runs.findRow(id)
                .flatMap(row -> catalog.find(row.run())
                        .map(plan ->
                                new AddressedExecution(row, plan, SingletonSupplier.of(() -> require(id)), false)));
    }

    /** Returns the execution, or empty if it is unknown or does not belong to a saga on this node. */
    Optional<ExecutionHistory> find(RunId id) {
        return runs.find(id)
                .flatMap(row -> catalog.find(row.run())
                        .map(plan -> new ExecutionHistory(
                                plan,
                                row,
                                runs.ofAllTenants().notes(id),
                                payloads,
                                json,
                                fireAndForgetRuns(plan, row))));
    }

    private Map<RunId, ExecutionHistory> fireAndForgetRuns(SagaPlan<?> plan, RunRow row) {
        Map<RunId, ExecutionHistory> fireAndForget = new LinkedHashMap<>();
        for (PlannedStep<?> step : plan.steps()) {
            ExecutionHistory.firedIn(row, step)
                    .flatMap(runs.ofAllTenants()::find)
                    .ifPresent(run -> fireAndForget.put(
                            run.id(), new ExecutionHistory(plan, run, List.of(), payloads, json, Map.of())));
        }
        return fireAndForget;
    }

    ExecutionHistory require(RunId id) {
        return find(id).orElseThrow(() -> new NoSuchRunException(id));
    }
}
