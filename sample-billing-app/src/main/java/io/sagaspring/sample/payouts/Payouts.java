package io.sagaspring.sample.payouts;

import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.Runs;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Starts payouts, and finds them again. A payout and its run are stored in one transaction. */
@Service
class Payouts {

    private static final int MOST_LISTED = 500;

    private final Runs runs;
    private final JdbcClient database;

    Payouts(Runs runs, JdbcClient database) {
        this.runs = runs;
        this.database = database;
    }

    record Row(String reference, String tenant, RunId runId) {

        private static Row of(ResultSet row, int number) throws SQLException {
            return new Row(
                    row.getString("reference"),
                    row.getString("tenant"),
                    new RunId(row.getObject("run_id", UUID.class)));
        }
    }

    /** Starts a payout, or returns the earlier one with the same reference. */
    @Transactional
    RunHandle<?> start(Payout payout, int priority) {
        RunHandle<?> run = runs.start(
                PayOut.class,
                payout,
                RunOptions.withKey("payout:" + payout.reference())
                        .in(PayoutsConfiguration.QUEUE)
                        .of(payout.tenant())
                        .urgent(priority));
        if (run.isNew()) {
            database.sql("INSERT INTO payout (reference, tenant, run_id) VALUES (:reference, :tenant, :run)")
                    .param("reference", payout.reference())
                    .param("tenant", payout.tenant())
                    .param("run", run.id().value())
                    .update();
        }
        return run;
    }

    Optional<PayoutView> find(RunId id) {
        return database.sql("SELECT reference, tenant, run_id FROM payout WHERE run_id = :run")
                .param("run", id.value())
                .query(Row::of)
                .optional()
                .flatMap(this::view);
    }

    /** Returns the latest payouts of a tenant, most recent first. */
    List<PayoutView> of(String tenant) {
        return database.sql("""
                        SELECT reference, tenant, run_id FROM payout WHERE tenant = :tenant ORDER BY number DESC LIMIT :most""").param("tenant", tenant).param("most", MOST_LISTED).query(Row::of).list().stream()
                .flatMap(row -> view(row).stream())
                .toList();
    }

    private Optional<PayoutView> view(Row row) {
        return runs.find(row.runId()).map(run -> PayoutView.of(run, row));
    }
}
