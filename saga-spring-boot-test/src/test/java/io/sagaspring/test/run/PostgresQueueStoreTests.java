package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.QueueStore;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.postgres.PostgresRunStore;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;

/** Tests queues on PostgreSQL. After each test, permits and runs agree. */
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
        assertThat(database.jdbc()
                        .sql("""
                        SELECT count(*) FROM saga_permit AS p FULL JOIN (SELECT * FROM saga_run WHERE permit IS NOT NULL) AS r
                            ON r.id = p.run_id AND r.queue = p.queue AND r.permit = p.number
                        WHERE (r.id IS NULL AND p.run_id IS NOT NULL) OR p.queue IS NULL""")
                        .query(Integer.class)
                        .single())
                .isZero();
        assertThat(database.jdbc()
                        .sql("SELECT count(*) FROM saga_key_permit WHERE run_id NOT IN (SELECT id FROM saga_run WHERE permit IS NOT NULL)")
                        .query(Integer.class)
                        .single())
                .isZero();
        int unused = database.jdbc()
                .sql("TRUNCATE saga_run, saga_step, saga_signal, saga_queue, saga_permit, saga_key_permit")
                .update();
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
