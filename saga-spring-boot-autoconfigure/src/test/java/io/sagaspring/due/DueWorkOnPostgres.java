package io.sagaspring.due;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.database.Databases;
import io.sagaspring.due.DueWork.Settings;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Pool;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests background work on nodes that share one database. No work is due when a test begins. */
abstract class DueWorkOnPostgres {

    /** All test classes of this JVM share this database. It is removed with its server. */
    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    static final HikariDataSource connections = Pool.of(database);
    static final SagaSchema schema = SagaSchema.migrate(connections, null);
    static final JdbcClient jdbc = JdbcClient.create(connections);
    static final Retries RARELY = new Retries(3, Duration.ofHours(1), Duration.ofHours(2));

    final ExecutorService threads = Executors.newCachedThreadPool();
    final List<DueWork> nodes = new ArrayList<>();
    final Keeper keeper = new Keeper(connections, Duration.ofSeconds(10), ElapsedClock.OF_THIS_MACHINE);

    @BeforeEach
    void nothingIsDue() {
        jdbc.sql("DELETE FROM saga_due").update();
    }

    @AfterEach
    void stop() {
        nodes.forEach(DueWork::stop);
        threads.shutdownNow();
        keeper.close();
    }

    interface Work {
        void on(DueItem item) throws Exception;
    }

    DueWork node(Work work) {
        return node(2, Duration.ofSeconds(30), RARELY, threads, work);
    }

    DueWork node(int concurrency, Duration lease, Retries retries, Executor executor, Work work) {
        return node(
                new Settings(
                        concurrency,
                        Duration.ofMillis(20),
                        lease,
                        Duration.ofMinutes(1),
                        Duration.ofMillis(10),
                        retries),
                executor,
                work);
    }

    DueWork node(Settings settings, Executor executor, Work work) {
        DueHandler handler = new DueHandler() {
            @Override
            public Set<String> kinds() {
                return Set.of("mail");
            }

            @Override
            public void handle(DueItem item) throws Exception {
                work.on(item);
            }
        };
        DueWork made = new DueWork(
                schema,
                "node",
                Databases.only(new OwnTransactions(connections)),
                keeper,
                List.of(handler),
                executor,
                settings);
        nodes.add(made);
        return made;
    }

    static void schedule(DueWork node, String queue, String key) {
        try (Connection connection = connections.getConnection()) {
            node.schedule(connection, queue, key, "payload of " + key);
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    static int rows() {
        return jdbc.sql("SELECT count(*) FROM saga_due").query(Integer.class).single();
    }

    static List<String> keys() {
        return jdbc.sql("SELECT work_key FROM saga_due").query(String.class).list();
    }

    static int pickedUp() {
        return jdbc.sql("SELECT count(*) FROM saga_due WHERE token IS NOT NULL")
                .query(Integer.class)
                .single();
    }

    static Duration pause() {
        return Duration.ofMillis(
                jdbc.sql("SELECT (extract(epoch FROM due_at - clock_timestamp()) * 1000)::bigint FROM saga_due")
                        .query(Long.class)
                        .single());
    }

    static void makeDue() {
        jdbc.sql("UPDATE saga_due SET due_at = clock_timestamp()").update();
    }
}
