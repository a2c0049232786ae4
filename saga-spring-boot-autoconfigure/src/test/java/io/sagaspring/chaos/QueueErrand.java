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
 * A run that checks the limits of its queue. While the code of a step is executed, the table {@code inside} has a row
 * for the run. Rows of nodes that were fenced off do not count. If more rows count than a limit allows, the run adds a
 * row to the table {@code excess}.
 *
 * <p>The input consists of the key and of a number. Every third run sleeps, and frees its permits meanwhile, unless its
 * queue keeps permits.
 */
final class QueueErrand implements DurableRun<String, String> {

    static final String ALL = "all";
    static final int AT_ONCE = 10;
    static final int AT_ONCE_FOR_EACH = 3;
    static final RunQueue PSP = RunQueue.named("psp")
            .atOnce(AT_ONCE)
            .atOnceForEach(AT_ONCE_FOR_EACH)
            .starts(10_000, Duration.ofSeconds(1), 1_000)
            .startsForEach(5_000, Duration.ofSeconds(1), 100);
    static final RunQueue KEPT = RunQueue.named("kept").atOnce(2).keepsPermits();

    /** The only queue whose rates delay runs. */
    static final RunQueue RATED = RunQueue.named("rated")
            .atOnce(AT_ONCE)
            .starts(5, Duration.ofMillis(600), 3)
            .startsForEach(2, Duration.ofMillis(600), 1);

    static final RunQueue LATEST =
            RunQueue.named("latest").atOnce(2).atOnceForEach(1).keepsPermits();
    static final RunOptions REPLACEABLE =
            RunOptions.withKey("replaced").orReplace().in("latest");

    private static final int SLOTS = 4;
    private static final Duration REST = Duration.ofMillis(20);

    private static final List<RunQueue> QUEUES = List.of(PSP, KEPT, LATEST, RATED);

    private final JdbcClient jdbc;
    private final String node;
    private final String queue;

    /**
     * Creates the code of a node.
     *
     * @param queue the only queue of the node, or {@value #ALL}
     */
    QueueErrand(DataSource database, String node, String queue) {
        this.jdbc = JdbcClient.create(database);
        this.node = node;
        this.queue = queue;
    }

    /** Returns the queues of a node that can execute this run. Other nodes have no queues. */
    static RunQueues.@Nullable Parts queuesOf(DurableRun<?, ?>[] code, PostgresRunStore store) {
        return Stream.of(code)
                .filter(QueueErrand.class::isInstance)
                .findFirst()
                .map(errand -> new RunQueues.Parts(
                        store.queues(), () -> new Queues(((QueueErrand) errand).queues(), Map.of()), SLOTS))
                .orElse(null);
    }

    private List<RunQueue> queues() {
        return QUEUES.stream()
                .filter(each -> queue.equals(ALL) || queue.equals(each.name()))
                .toList();
    }

    static RunOptions options(String queue, String key, int number) {
        return RunOptions.withKey("%s-%s-%s".formatted(queue, key, number))
                .in(queue)
                .of(key);
    }

    /** Creates the tables of the checks. A trigger notes each run of the queue {@link #RATED} that begins. */
    static void create(DataSource database) {
        JdbcClient jdbc = JdbcClient.create(database);
        jdbc.sql("CREATE TABLE inside (run uuid PRIMARY KEY, queue_key text NOT NULL, node text NOT NULL)")
                .update();
        jdbc.sql("CREATE TABLE excess (what text NOT NULL)").update();
        jdbc.sql("CREATE TABLE begun (queue_key text NOT NULL, at timestamptz NOT NULL)")
                .update();
        jdbc.sql("""
                        CREATE FUNCTION note_begun() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN
                            INSERT INTO begun (queue_key, at) VALUES (NEW.queue_key, NEW.picked_up_at);
                            RETURN NULL;
                        END $$""").update();
        jdbc.sql("""
                        CREATE TRIGGER begun AFTER UPDATE ON saga_run FOR EACH ROW
                        WHEN (NEW.queue = 'rated' AND OLD.permit IS NULL AND NEW.permit IS NOT NULL) EXECUTE FUNCTION note_begun()""").update();
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

    /**
     * Records an excess if {@code inside} has more runs than a limit allows. A run counts only while the node in its
     * row owns it.
     */
    private void check(String key) {
        int unused = jdbc.sql("""
                        INSERT INTO excess (what)
                        SELECT concat(c.all_runs, ' executed, ', c.of_key, ' of ', ?) FROM (
                            SELECT count(*) AS all_runs, count(*) FILTER (WHERE i.queue_key = ?) AS of_key
                            FROM inside AS i JOIN saga_run AS r ON r.id = i.run AND r.node = i.node WHERE r.queue = 'psp') AS c
                        WHERE c.all_runs > ? OR c.of_key > ?""").params(key, key, AT_ONCE, AT_ONCE_FOR_EACH).update();
    }
}
