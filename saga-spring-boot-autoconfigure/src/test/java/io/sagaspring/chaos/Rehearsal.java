package io.sagaspring.chaos;

import io.sagaspring.chaos.Office.Place;
import io.sagaspring.run.RunId;
import io.sagaspring.run.TestedCommits;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import io.sagaspring.schedule.Overlap;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.test.database.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Does once what the nodes of the tests do, so that this JVM archives their classes when it ends. Each node then reads them from the
 * archive ({@link ForkedJvm}).
 */
final class Rehearsal {

    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration SOON = Duration.ofSeconds(30);

    private Rehearsal() {}

    /** Returns the arguments of the main method: the URLs of the two databases, and the settings of a depot. */
    static List<String> arguments(TestDatabase database, TestDatabase ofPosts, Path journal) {
        List<String> arguments = new ArrayList<>(List.of(LeaseHolders.url(database), LeaseHolders.url(ofPosts)));
        Depot.settings(database, journal, "rehearsal").forEach((key, value) -> arguments.add(key + "=" + value));
        return arguments;
    }

    public static void main(String[] arguments) throws Exception {
        System.setOut(System.err);
        for (Class<?> main : List.of(
                OfficeProcess.class,
                QueueProcess.class,
                ScheduleProcess.class,
                PostProcess.class,
                LeaseProcess.class)) {
            Class<?> unused = Class.forName(main.getName());
        }
        String url = arguments[0];
        DataSource database = new DriverManagerDataSource(url);
        RunInspection.create(database, new EffectLedger(database));
        QueueErrand.create(database);
        PostOffice.createTables(JdbcClient.create(new DriverManagerDataSource(arguments[1])));
        rehearseRuns(url, database);
        rehearseSchedule(url);
        rehearseListener(arguments[1]);
        DepotProcess.rehearse(List.of(arguments).subList(2, arguments.length));
        System.exit(0);
    }

    private static Place place(String url, Commits commits) {
        return new Place("rehearsal", url, url, POLL, 10, commits, Office.LEASE);
    }

    private static void rehearseRuns(String url, DataSource database) throws Exception {
        for (Commits commits : Commits.values()) {
            try (Office office = new Office(
                            place(url, commits),
                            new HaltAtStatement(HaltAtStatement.Moment.BEFORE),
                            (run, id, event) -> {},
                            new QueueErrand(database, "rehearsal", QueueErrand.ALL))
                    .opened()) {
                String key = "asking-" + commits;
                String unused = office.runs()
                        .start(Errand.class, key, Errand.optionsOf(key))
                        .await(SOON);
                RunId queued = office.runs()
                        .start(QueueErrand.class, "key/0", QueueErrand.options("psp", commits.name(), 0))
                        .id();
                String unusedToo =
                        office.runs().handle(queued, QueueErrand.class).await(SOON);
            }
        }
    }

    private static void rehearseSchedule(String url) {
        JdbcClient client = JdbcClient.create(new DriverManagerDataSource(url));
        try (ScheduleNode node =
                new ScheduleNode(place(url, TestedCommits.COMMITS), new Around() {}, Overlap.QUEUE_ONE)) {
            ScheduleNode unused = node.opened();
            await(() -> client.sql(
                                    "SELECT count(*) FROM saga_run WHERE start_key LIKE 'schedule:%' AND ended_at IS NOT NULL")
                            .query(Long.class)
                            .single()
                    > 0);
        }
    }

    private static void rehearseListener(String url) {
        JdbcClient client = JdbcClient.create(new DriverManagerDataSource(url));
        try (PostOffice office = new PostOffice("rehearsal", url).opened()) {
            office.post("key");
            await(() -> client.sql("SELECT count(*) FROM effect_received")
                            .query(Long.class)
                            .single()
                    > 0);
        }
    }

    private static void await(BooleanSupplier condition) {
        long until = System.nanoTime() + SOON.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > until) {
                throw new IllegalStateException("The rehearsal does not get on.");
            }
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
    }
}
