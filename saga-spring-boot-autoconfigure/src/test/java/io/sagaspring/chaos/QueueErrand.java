package io.sagaspring.chaos;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunQueues;
import io.sagaspring.run.postgres.PostgresRunStore;
import io.sagaspring.run.queue.Queues;
import io.sagaspring.run.queue.RunQueue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A run of a queue, which checks the queue's limits from inside: a row of {@code inside} exists while its code is executed. A row of a
 * node that was fenced off does not count. If the count is ever above a limit, a row of {@code excess} says so.
 *
 * <p>The input consists of the key and of a number. Every third run sleeps, and frees its permits meanwhile, unless its queue keeps
 * permits.
 */
final class QueueErrand implements DurableRun<String, String> {

    static final int AT_ONCE = 10;
    static final int AT_ONCE_FOR_EACH = 3;
    static final RunQueue PSP = RunQueue.named("psp")
            .atOnce(AT_ONCE)
            .atOnceForEach(AT_ONCE_FOR_EACH)
            .starts(10_000, Duration.ofSeconds(1), 1_000)
            .startsForEach(5_000, Duration.ofSeconds(1), 100);
    static final RunQueue KEPT = RunQueue.named("kept").atOnce(2).keepsPermits();

    private static final int SLOTS = 4;
    private static final Duration REST = Duration.ofMillis(20);

    private final JdbcClient jdbc;
    private final String node;

    QueueErrand(DataSource database, String node) {
        this.jdbc = JdbcClient.create(database);
        this.node = node;
    }

    /** Returns the queues of an office that can execute this errand. Other offices have none. */
    static RunQueues.@Nullable Parts queuesOf(DurableRun<?, ?>[] code, PostgresRunStore store) {
        return Stream.of(code).anyMatch(QueueErrand.class::isInstance)
                ? new RunQueues.Parts(store.queues(), () -> new Queues(List.of(PSP, KEPT), Map.of()), SLOTS)
                : null;
    }

    static RunOptions options(String queue, String key, int number) {
        return RunOptions.withKey("%s-%s-%s".formatted(queue, key, number))
                .in(queue)
                .of(key);
    }

    static void create(DataSource database) {
        JdbcClient jdbc = JdbcClient.create(database);
        jdbc.sql("CREATE TABLE inside (run uuid PRIMARY KEY, queue_key text NOT NULL, node text NOT NULL)")
                .update();
        jdbc.sql("CREATE TABLE excess (what text NOT NULL)").update();
    }

    @Override
    public String name() {
        return "queue-errand";
    }

    @Override
    public String run(RunContext run, String input) {
        String key = input.substring(0, input.indexOf('/'));
        int number = Integer.parseInt(input.substring(input.indexOf('/') + 1));
        run.step("first", () -> work(run, key));
        if (number % 3 == 0) {
            run.sleep("rest", REST);
            run.step("second", () -> work(run, key));
        }
        return input;
    }

    private void work(RunContext run, String key) {
        int unusedEntry = jdbc.sql("""
                        INSERT INTO inside (run, queue_key, node) VALUES (?, ?, ?)
                        ON CONFLICT (run) DO UPDATE SET node = excluded.node""").params(run.runId().value(), key, node).update();
        check(key);
        LockSupport.parkNanos(Duration.ofMillis(3).toNanos());
        check(key);
        int unusedExit = jdbc.sql("DELETE FROM inside WHERE run = ? AND node = ?")
                .params(run.runId().value(), node)
                .update();
    }

    /** Records an excess if more runs are inside than a limit allows. A run counts while the row's node owns it. */
    private void check(String key) {
        int unused = jdbc.sql("""
                        INSERT INTO excess (what)
                        SELECT concat(c.all_runs, ' executed, ', c.of_key, ' of ', ?) FROM (
                            SELECT count(*) AS all_runs, count(*) FILTER (WHERE i.queue_key = ?) AS of_key
                            FROM inside AS i JOIN saga_run AS r ON r.id = i.run AND r.node = i.node WHERE r.queue = 'psp') AS c
                        WHERE c.all_runs > ? OR c.of_key > ?""").params(key, key, AT_ONCE, AT_ONCE_FOR_EACH).update();
    }
}
