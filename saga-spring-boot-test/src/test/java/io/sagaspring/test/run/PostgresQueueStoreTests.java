package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.QueueStore;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.postgres.PostgresRunStore;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import io.sagaspring.run.queue.RunQueue;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests queues on PostgreSQL. After each test, the class checks that permits and runs agree. */
class PostgresQueueStoreTests extends QueueStoreContract {

    private static final RunDatabase database = new RunDatabase();
    private static final PostgresRunStore store = database.store(database.pool(), "one", Commits.SHARED);
    private static final PostgresRunStore another = database.store(database.pool(), "another", Commits.SHARED);

    @AfterAll
    static void drop() {
        database.close();
    }

    /** A permit without its run would be lost, and a run without its permit could exceed a limit. */
    @AfterEach
    void permitsAndRunsAgree() {
        assertThat(database.jdbc().sql("""
                        SELECT count(*) FROM saga_permit AS p FULL JOIN (SELECT * FROM saga_run WHERE permit IS NOT NULL) AS r
                            ON r.id = p.run_id AND r.queue = p.queue AND r.permit = p.number
                        WHERE (r.id IS NULL AND p.run_id IS NOT NULL) OR p.queue IS NULL""").query(Integer.class).single()).isZero();
        assertThat(database.jdbc()
                        .sql(
                                "SELECT count(*) FROM saga_key_permit WHERE run_id NOT IN (SELECT id FROM saga_run WHERE permit IS NOT NULL)")
                        .query(Integer.class)
                        .single())
                .isZero();
        int unused = database.jdbc()
                .sql("TRUNCATE saga_run, saga_step, saga_signal, saga_queue, saga_permit, saga_key_permit, saga_rate")
                .update();
    }

    /** Otherwise the second run would begin before the first run, whose pickup may be rolled back. */
    @Test
    void noRunBeginsBeforeALockedRunOfTheSameKey() throws Exception {
        declare(RunQueue.named(queue).atOnce(4));
        RunId first = queued("k", 0);
        RunId second = queued("k", 0);
        RunId other = queued("other", 0);
        try (Connection locking = database.connect();
                Statement lock = locking.createStatement()) {
            locking.setAutoCommit(false);
            lock.execute("SELECT 1 FROM saga_run WHERE id = '%s' FOR UPDATE".formatted(first));
            assertThat(ids(take(4))).containsExactly(other);
            locking.rollback();
        }

        assertThat(ids(take(4))).containsExactly(first, second);
    }

    /** The cost of a pickup depends on the number of slots, and not on the number of waiting runs or keys. */
    @Test
    void aLargeBacklogIsNotScanned() {
        declare(RunQueue.named(queue).atOnce(100).atOnceForEach(2));
        int unused = database.jdbc().sql("""
                        INSERT INTO saga_run (id, run, state, format, input, started_at, lane, queue, queue_key, priority, queue_number)
                        SELECT gen_random_uuid(), ?, 'pending', 'none', '', now(), 'queue:' || ?, ?,
                            CASE WHEN n % 10 = 0 THEN 'key-' || n % 1000 ELSE 'large' END, 0, n
                        FROM generate_series(1, 200000) AS n""").params(run, queue, queue).update();
        RunId other = store().start(newRun(null, null, false)).id();
        RunId small = queued("zzz", 0);

        List<RunId> begun = new ArrayList<>();
        for (int each = 0; each < 30; each++) {
            List<PickedUpRun> taken = take(8);
            begun.addAll(ids(taken));
            taken.forEach(this::end);
        }

        assertThat(begun).hasSize(240).contains(small);
        assertThat(ids(store().take(known, 1, MANY))).containsExactly(other);
        assertThat(queues().untilNext(Set.of(queue), LONG)).hasValue(Duration.ZERO);
    }

    @Override
    protected RunStore store() {
        return store;
    }

    @Override
    protected RunStore another() {
        return another;
    }

    @Override
    protected QueueStore queues() {
        return store.queues();
    }

    @Override
    protected QueueStore anotherQueues() {
        return another.queues();
    }

    @Override
    protected void pass(Duration duration) {
        database.pass(duration);
    }
}
