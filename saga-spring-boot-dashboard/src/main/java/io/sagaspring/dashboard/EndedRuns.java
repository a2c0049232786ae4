package io.sagaspring.dashboard;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.schema.SagaSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * Counts the runs that ended in an interval. It reads at most a limited number of rows. If there are more, it estimates
 * the numbers from the time in which so many runs ended.
 */
final class EndedRuns {

    private final DashboardSources sources;
    private final OwnTransactions own;
    private final int most;

    EndedRuns(DashboardSources sources, OwnTransactions own, int most) {
        this.sources = sources;
        this.own = own;
        this.most = most;
    }

    /**
     * The numbers of an interval.
     *
     * @param failed the number of runs that failed, out of those that ended
     */
    record Count(long ended, long failed, boolean estimated) {}

    private record Read(long ended, long failed, @Nullable Instant last) {

        static Read of(Row row) throws SQLException {
            return new Read(row.number("ended"), row.number("failed"), row.instantOrNull("last"));
        }
    }

    Count count(Instant from, Instant to) {
        SagaSchema schema = sources.find(SagaSchema.class);
        if (schema == null) {
            return new Count(0, 0, false);
        }
        Read read = own.single(connection -> select(schema)
                .on(connection)
                .with("from", (statement, index) -> statement.setObject(index, from.atOffset(ZoneOffset.UTC)))
                .with("to", (statement, index) -> statement.setObject(index, to.atOffset(ZoneOffset.UTC)))
                .with("most", most)
                .first(Read::of)
                .orElseThrow());
        if (read.ended() < most || read.last() == null) {
            return new Count(read.ended(), read.failed(), false);
        }
        double part = Math.max(1, Duration.between(from, read.last()).toNanos())
                / (double) Duration.between(from, to).toNanos();
        return new Count(Math.round(read.ended() / part), Math.round(read.failed() / part), true);
    }

    private static Sql select(SagaSchema schema) {
        return Sql.named("dashboard.ended", sql(schema.table("saga_run")));
    }

    static String sql(String table) {
        return """
                SELECT count(*) AS ended, count(*) FILTER (WHERE state = 'failed') AS failed, max(ended_at) AS last
                FROM (SELECT state, ended_at FROM %s WHERE ended_at >= :from AND ended_at < :to
                    ORDER BY ended_at LIMIT :most) AS found""".formatted(table);
    }
}
