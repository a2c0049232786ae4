package io.sagaspring.benchmarks;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.CompletionHandler;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * db-scheduler with three tasks. When a task ends, the next one replaces it and gets its result. The settings are those
 * that db-scheduler's README ("Polling strategy") and its page "Performance" advise for high throughput. The scheduler
 * locks up to four tasks per thread in one statement. A task that is already due when it is scheduled is executed
 * immediately. No task has a priority, so the table has no index for priorities.
 */
final class DbSchedulerFlows implements Flows {

    static final String TABLE = """
            CREATE TABLE scheduled_tasks (task_name text NOT NULL, task_instance text NOT NULL, task_data bytea,
                execution_time timestamptz NOT NULL, picked boolean NOT NULL, picked_by text, last_success timestamptz,
                last_failure timestamptz, consecutive_failures integer, last_heartbeat timestamptz, version bigint NOT NULL,
                PRIMARY KEY (task_name, task_instance));
            CREATE INDEX ON scheduled_tasks (execution_time);
            CREATE INDEX ON scheduled_tasks (last_heartbeat)
            """;

    private static final TaskDescriptor<String> FIRST = TaskDescriptor.of("first", String.class);
    private static final TaskDescriptor<String> SECOND = TaskDescriptor.of("second", String.class);
    private static final TaskDescriptor<String> THIRD = TaskDescriptor.of("third", String.class);

    private final Ground ground;
    private final HikariDataSource pool;
    private final Scheduler scheduler;
    private final Endings endings = new Endings();
    private final AtomicLong started = new AtomicLong();

    DbSchedulerFlows(Ground ground) {
        this.ground = ground;
        ground.run(TABLE);
        this.pool = ground.pool();
        this.scheduler = Scheduler.create(
                        pool,
                        Tasks.custom(FIRST).execute((task, context) -> replaceWith(SECOND, task)),
                        Tasks.custom(SECOND).execute((task, context) -> replaceWith(THIRD, task)),
                        Tasks.custom(THIRD).execute((task, context) -> end(task)))
                .threads(ground.callers())
                .pollUsingLockAndFetch(1.0, 4.0)
                .enableImmediateExecution()
                .shutdownMaxWait(Duration.ofSeconds(10))
                .build();
        scheduler.start();
    }

    private static CompletionHandler<String> replaceWith(TaskDescriptor<String> next, TaskInstance<String> done) {
        return (complete, operations) -> operations.removeAndScheduleNew(
                next.instance(done.getId()).data(done.getData()).scheduledTo(Instant.now()));
    }

    private CompletionHandler<String> end(TaskInstance<String> done) {
        return (complete, operations) -> {
            operations.remove();
            endings.complete(done.getId(), done.getData());
        };
    }

    @Override
    public String run(String payload) {
        String id = UUID.randomUUID().toString();
        scheduler.schedule(FIRST.instance(id).data(payload).scheduledTo(Instant.now()));
        started.incrementAndGet();
        return endings.await(id);
    }

    /**
     * Returns the number of ended flows. db-scheduler removes the rows of ended flows, so each remaining row is a flow
     * that has not ended.
     */
    @Override
    public long over() {
        return started.get() - ground.count("scheduled_tasks");
    }

    @Override
    public void close() {
        scheduler.stop();
        pool.close();
    }
}
