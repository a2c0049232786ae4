package io.sagaspring.chaos;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.run.RunId;
import io.sagaspring.run.TestedCommits;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.test.database.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The database of a group of nodes ({@link Office}) that execute {@link QueueErrand}. */
final class QueueOffices implements AutoCloseable {

    /** A limit of attempts high enough to keep runs from being parked because the tests kill their nodes. */
    private static final int ATTEMPTS = 1_000;

    private static final Duration POLL = Duration.ofMillis(50);

    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private final HikariDataSource pool = new HikariDataSource();
    private final JdbcClient jdbc = JdbcClient.create(pool);
    private final Path logs;

    QueueOffices(Path logs) {
        this.logs = logs;
        pool.setJdbcUrl(LeaseHolders.url(database));
        pool.setMinimumIdle(0);
        QueueErrand.create(pool);
    }

    private Office.Place place(String name) {
        String url = LeaseHolders.url(database);
        return new Office.Place(name, url, url, POLL, ATTEMPTS, TestedCommits.COMMITS, Office.LEASE);
    }

    /** Creates a node in this JVM. The node picks up no runs until it is opened. */
    Office office(String name) {
        return new Office(place(name), new Around() {}, (run, id, event) -> {}, new QueueErrand(pool, name));
    }

    /** Starts a node in its own JVM. */
    ForkedProcess fork(String name) {
        Office.Place place = place(name);
        List<String> command = new ArrayList<>(ForkedJvm.command(QueueProcess.class));
        command.addAll(List.of(
                place.name(),
                place.database(),
                place.elsewhere(),
                place.poll().toString(),
                Integer.toString(place.attempts()),
                place.commits().name(),
                place.lease().toString()));
        return ForkedProcess.start(name, logs.resolve(name + ".log"), command, Map.of());
    }

    RunId start(Office office, String queue, String key, int number) {
        return office.runs()
                .start(QueueErrand.class, key + "/" + number, QueueErrand.options(queue, key, number))
                .id();
    }

    /** Returns the inputs of all runs. */
    List<String> inputs() {
        return jdbc.sql("SELECT trim('\"' FROM convert_from(input, 'UTF8')) FROM saga_run ORDER BY id")
                .query(String.class)
                .list();
    }

    boolean isQuiet() {
        return count("saga_run WHERE ended_at IS NULL") == 0;
    }

    long begun(String queue) {
        return count("saga_run WHERE permit IS NOT NULL AND queue = '%s'".formatted(queue));
    }

    long permits(String queue) {
        return count("saga_permit WHERE queue = '%s'".formatted(queue));
    }

    long count(String rows) {
        return jdbc.sql("SELECT count(*) FROM " + rows).query(Long.class).single();
    }

    /**
     * Returns each excess that a run has recorded, each permit that a run still holds, and each run that has not
     * completed.
     */
    List<String> faults() {
        return jdbc.sql("""
                        SELECT what FROM excess
                        UNION ALL SELECT concat('permit ', number, ' of ', queue, ' is held by ', run_id) FROM saga_permit
                            WHERE run_id IS NOT NULL
                        UNION ALL SELECT concat('a permit of key ', queue_key, ' is held by ', run_id) FROM saga_key_permit
                        UNION ALL SELECT concat('run ', id, ' is ', state, ': ', error) FROM saga_run WHERE state <> 'completed'
                        UNION ALL SELECT concat('run ', id, ' has permit ', permit) FROM saga_run WHERE permit IS NOT NULL""").query(String.class).list();
    }

    void clear() {
        int unused = jdbc.sql(
                        "TRUNCATE saga_run, saga_step, saga_signal, saga_queue, saga_permit, saga_key_permit, inside, excess")
                .update();
    }

    @Override
    public void close() {
        pool.close();
        database.close();
    }
}
