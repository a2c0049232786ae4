package io.sagaspring.benchmarks;

import java.util.List;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The ended runs in the tables of one application, most of which are copies of one run. */
final class EndedRuns {

    private static final int BATCH = 100_000;

    private static final String COPIES = """
            WITH one AS (SELECT * FROM saga_run WHERE state = 'completed' ORDER BY id DESC LIMIT 1),
            added AS (
                INSERT INTO saga_run (id, ended_at, %s)
                SELECT (lpad(to_hex(:millis + n / 10), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8'
                    || substr(md5(n::text), 4, 15))::uuid, clock_timestamp() - :days * INTERVAL '1 day', %s
                FROM one, generate_series(:from, :to) AS n RETURNING id)
            INSERT INTO saga_step (run_id, %s)
            SELECT added.id, %s FROM added, one, saga_step AS s WHERE s.run_id = one.id""";

    private final JdbcClient client;

    EndedRuns(DurableDatabase database, String schema) {
        this.client = JdbcClient.create(new DriverManagerDataSource(database.urlWith("currentSchema=" + schema)));
    }

    /**
     * Adds copies of the latest completed run, with its journal. The ids are in the order of time, as the library's own
     * ids are.
     *
     * @param days the days since the copies ended
     * @param count the number of copies
     */
    void add(int days, int count) {
        List<String> ofRun = columns("saga_run", List.of("id", "ended_at"));
        List<String> ofStep = columns("saga_step", List.of("run_id"));
        String sql = COPIES.formatted(
                String.join(", ", ofRun), prefixed(ofRun, "one."), String.join(", ", ofStep), prefixed(ofStep, "s."));
        long millis = System.currentTimeMillis() - days * 86_400_000L;
        for (int from = 1; from <= count; from += BATCH) {
            client.sql(sql)
                    .param("millis", millis)
                    .param("days", days)
                    .param("from", from)
                    .param("to", Math.min(count, from + BATCH - 1))
                    .update();
        }
        settle();
    }

    /** Does the maintenance that the server would otherwise do at some time during the measurement. */
    void settle() {
        client.sql("VACUUM (ANALYZE) saga_run").update();
        client.sql("VACUUM (ANALYZE) saga_step").update();
        client.sql("CHECKPOINT").update();
    }

    /** Returns the number of runs that have ended. */
    long count() {
        return client.sql("SELECT count(*) FROM saga_run WHERE ended_at IS NOT NULL")
                .query(Long.class)
                .single();
    }

    /** Returns true if a run ended at least this number of days ago. Reads one entry of an index. */
    boolean hasOlderThan(int days) {
        return client.sql("""
                        SELECT EXISTS (SELECT FROM (SELECT run FROM saga_run LIMIT 1) AS one, saga_run AS r
                            WHERE r.run = one.run AND r.ended_at <= clock_timestamp() - :days * INTERVAL '1 day')""").param("days", days).query(Boolean.class).single();
    }

    private List<String> columns(String table, List<String> except) {
        return client.sql("""
                        SELECT column_name FROM information_schema.columns
                        WHERE table_schema = current_schema AND table_name = :table AND column_name NOT IN (:except)""")
                .param("table", table)
                .param("except", except)
                .query(String.class)
                .list();
    }

    private static String prefixed(List<String> columns, String prefix) {
        return columns.stream().map(prefix::concat).collect(Collectors.joining(", "));
    }
}
