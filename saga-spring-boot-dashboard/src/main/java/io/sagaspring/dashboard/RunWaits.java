package io.sagaspring.dashboard;

import io.sagaspring.dashboard.RunWait.Code;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.pause.Pause;
import io.sagaspring.pause.Pauses;
import io.sagaspring.run.RunView;
import io.sagaspring.schema.SagaSchema;
import java.util.Optional;

/** Finds out what a run waits for. Only the database knows its queue, and the pauses of its kind. */
final class RunWaits {

    private final DashboardSources sources;
    private final OwnTransactions own;

    RunWaits(DashboardSources sources, OwnTransactions own) {
        this.sources = sources;
        this.own = own;
    }

    RunWait of(RunView run, boolean isSaga) {
        RunWait wait = isSaga ? RunWait.ofSaga(run) : RunWait.of(run);
        boolean needsNode = wait.code() == Code.node || wait.code() == Code.retry;
        if (!needsNode) {
            return wait;
        }
        if (run.node() != null) {
            return lapsed(run).map(lapsed -> paused(run).orElse(lapsed)).orElse(wait);
        }
        return paused(run).or(() -> queued(run)).orElse(wait);
    }

    private Optional<RunWait> paused(RunView run) {
        Pauses pauses = sources.find(Pauses.class);
        return pauses == null
                ? Optional.empty()
                : pauses.all().stream()
                        .filter(each ->
                                each.kind() == Pause.Kind.RUN && each.name().equals(run.run()))
                        .map(each -> new RunWait(Code.paused, each.why(), null, each.by()))
                        .findFirst();
    }

    private Optional<RunWait> queued(RunView run) {
        return first(
                run,
                "dashboard.queue",
                "SELECT queue FROM %s WHERE id = :id AND lane IS NOT NULL AND due_at IS NULL AND state = 'pending'",
                row -> new RunWait(Code.queue, row.text("queue"), null, null));
    }

    /** A node that died still stands in the row until another node picks up the run. Only the database knows the time. */
    private Optional<RunWait> lapsed(RunView run) {
        return first(
                run,
                "dashboard.lapsed",
                "SELECT node, due_at FROM %s WHERE id = :id AND node IS NOT NULL AND due_at <= (SELECT clock_timestamp())",
                row -> new RunWait(Code.lapsed, null, row.instant("due_at"), row.text("node")));
    }

    private Optional<RunWait> first(RunView run, String name, String select, SqlCall.Reader<RunWait> reader) {
        SagaSchema schema = sources.find(SagaSchema.class);
        return schema == null
                ? Optional.empty()
                : own.single(connection -> Sql.named(name, select.formatted(schema.table("saga_run")))
                        .on(connection)
                        .with("id", run.id().value())
                        .first(reader));
    }
}
