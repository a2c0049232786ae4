package io.sagaspring.chaos;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.run.RunId;
import io.sagaspring.run.TestedCommits;
import io.sagaspring.run.queue.StartRate;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.test.database.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
        return new Office(
                place(name), new Around() {}, (run, id, event) -> {}, new QueueErrand(pool, name, QueueErrand.ALL));
    }

    /** Starts a node in its own JVM. */
    ForkedProcess fork(String name) {
        return fork(name, QueueErrand.ALL);
    }

    /** Starts a node with one queue in its own JVM. Its first search for runs of queues is a search in this queue. */
    ForkedProcess fork(String name, String queue) {
        Office.Place place = place(name);
        List<String> command = new ArrayList<>(ForkedJvm.command(QueueProcess.class));
        command.addAll(List.of(
                place.name(),
                place.database(),
                place.elsewhere(),
                place.poll().toString(),
                Integer.toString(place.attempts()),
                place.commits().name(),
                place.lease().toString(),
                queue));
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

    /** A run of the queue 'rated' that has begun. */
    private record Begun(String key, Instant at) {}

    /**
     * Returns each start beyond a rate of the queue 'rated'. Also returns each rate whose stored time does not agree with the starts,
     * because an allowance was lost or was used twice.
     */
    List<String> faultsOfRates() {
        List<Begun> begun = jdbc.sql("SELECT queue_key, at FROM begun ORDER BY at")
                .query((row, number) -> new Begun(
                        row.getString("queue_key"),
                        row.getObject("at", OffsetDateTime.class).toInstant()))
                .list();
        List<String> faults = new ArrayList<>(faultsOfRate(
                " ",
                begun.stream().map(Begun::at).toList(),
                requireNonNull(QueueErrand.RATED.limits().starts())));
        begun.stream()
                .collect(groupingBy(Begun::key, mapping(Begun::at, toList())))
                .forEach((key, starts) -> faults.addAll(faultsOfRate(
                        key, starts, requireNonNull(QueueErrand.RATED.limits().startsForEach()))));
        return faults;
    }

    private List<String> faultsOfRate(String key, List<Instant> starts, StartRate rate) {
        List<String> faults = new ArrayList<>();
        Instant usedUntil = null;
        for (int each = 0; each < starts.size(); each++) {
            Instant at = starts.get(each);
            usedUntil = rate.usedAfterStart(usedUntil, at);
            if (each >= rate.starts()
                    && at.isBefore(starts.get(each - rate.starts()).plus(rate.per()))) {
                faults.add("%d runs of key '%s' have begun within %s before %s"
                        .formatted(rate.starts() + 1, key, rate.per(), at));
            }
        }
        Instant stored = jdbc.sql("SELECT used_until FROM saga_rate WHERE queue = 'rated' AND queue_key = ?")
                .param(key)
                .query(OffsetDateTime.class)
                .optional()
                .map(OffsetDateTime::toInstant)
                .orElse(null);
        if (!starts.isEmpty() && !Objects.equals(stored, usedUntil)) {
            faults.add("The rate of key '%s' is used until %s, but after its starts %s it is used until %s"
                    .formatted(key, stored, starts, usedUntil));
        }
        return faults;
    }

    void clear() {
        int unused = jdbc.sql(
                        "TRUNCATE saga_run, saga_step, saga_signal, saga_queue, saga_permit, saga_key_permit, saga_rate, inside, excess, begun")
                .update();
    }

    @Override
    public void close() {
        pool.close();
        database.close();
    }
}
