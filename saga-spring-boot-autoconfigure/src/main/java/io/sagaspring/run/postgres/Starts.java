package io.sagaspring.run.postgres;

import io.sagaspring.fence.CallersTransaction;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Starts runs, in the caller's transaction if there is one. A start without a key, labels, a start time or a queue can
 * share its commit with other changes.
 */
final class Starts {

    private final StartRows rows;
    private final OwnTransactions own;
    private final CallersTransaction callers;
    private final @Nullable GroupCommit group;

    Starts(StartRows rows, OwnTransactions own, CallersTransaction callers, @Nullable GroupCommit group) {
        this.rows = rows;
        this.own = own;
        this.callers = callers;
        this.group = group;
    }

    Started start(NewRun run) {
        Change.Start start = new Change.Start(run);
        if (run.key() != null && run.key().isReplaceable()) {
            return replace(start);
        }
        boolean isAlone = callers.isActive()
                || start.writesLabels()
                || run.key() != null
                || run.startTime() != null
                || run.place() != null;
        return group == null || isAlone
                ? startAlone(start)
                : group.make(start, Function.identity(), () -> startAlone(start));
    }

    /**
     * Starts runs. In the caller's transaction, one statement starts all runs that {@link StartRows#startAll} accepts. Every
     * other run is started by a statement of its own.
     */
    List<Started> startAll(List<NewRun> runs) {
        Map<RunId, Started> together = callers.isActive()
                ? callers.run("Starting runs", connection -> rows.startAll(connection, runs))
                : Map.of();
        return runs.stream()
                .map(run -> Optional.ofNullable(together.get(run.id())).orElseGet(() -> start(run)))
                .toList();
    }

    private Started startAlone(Change.Start start) {
        while (true) {
            try {
                return callers.isActive()
                        ? callers.run(start.activity(), connection -> rows.start(connection, start.run(), false))
                        : own.adding(
                                start::activity, (connection, again) -> rows.start(connection, start.run(), again));
            } catch (StartRows.FreeMeanwhile again) {
                // The key is free now, so the next attempt can insert the run.
            }
        }
    }

    /**
     * Starts a run, or replaces its input. The statement is not sent again after a lost reply, because it could
     * overwrite the input of a later start. The transaction's id shows whether the change was committed.
     */
    private Started replace(Change.Start start) {
        return callers.isActive()
                ? callers.run(start.activity(), connection -> rows.replace(connection, start.run()))
                        .value()
                : own.decided(start.activity(), connection -> rows.replace(connection, start.run()));
    }
}
