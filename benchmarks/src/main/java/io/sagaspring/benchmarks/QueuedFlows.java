package io.sagaspring.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Queue;
import dev.dbos.transact.workflow.Workflow;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.Runs;
import io.sagaspring.run.queue.RunQueue;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Flows of one step. Each flow records the time at which it begins. */
final class QueuedFlows implements AutoCloseable {

    private static final Duration DBOS_POLL = Duration.ofMillis(100);

    private final Map<String, Long> begun;
    private final Consumer<String> startAndAwait;
    private final Runnable close;

    private QueuedFlows(Map<String, Long> begun, Consumer<String> startAndAwait, Runnable close) {
        this.begun = begun;
        this.startAndAwait = startAndAwait;
        this.close = close;
    }

    /** Starts a flow and awaits its end. Returns the time from the start to the beginning of the flow. */
    Duration run() {
        String id = UUID.randomUUID().toString();
        long started = System.nanoTime();
        startAndAwait.accept(id);
        Long began = begun.remove(id);
        if (began == null) {
            throw new IllegalStateException("The flow %s has ended, but its beginning was not recorded".formatted(id));
        }
        return Duration.ofNanos(began - started);
    }

    @Override
    public void close() {
        close.run();
    }

    /** A durable run of one step. */
    record OneStep(Map<String, Long> begun) implements DurableRun<String, String> {

        @Override
        public String name() {
            return "oneStep";
        }

        @Override
        public String run(RunContext run, String id) {
            begun.putIfAbsent(id, System.nanoTime());
            return run.step("only", String.class, () -> id);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(OurFlows.Application.class)
    static class Application {

        @Bean
        OneStep oneStep() {
            return new OneStep(new ConcurrentHashMap<>());
        }

        @Bean
        RunQueue limited() {
            return RunQueue.named("limited").atOnce(QueueBenchmark.LIMIT);
        }
    }

    /** Creates flows that are durable runs, in the queue with this name, or without a queue if the name is null. */
    static QueuedFlows ours(Ground ground, @Nullable String queue) {
        ConfigurableApplicationContext application = open(ground, Application.class);
        Runs runs = application.getBean(Runs.class);
        RunOptions options =
                queue == null ? RunOptions.none() : RunOptions.none().in(queue);
        return new QueuedFlows(
                application.getBean(OneStep.class).begun(),
                id -> {
                    try {
                        String unused = runs.start(OneStep.class, id, options).await(Ground.PATIENCE);
                    } catch (TimeoutException late) {
                        throw new IllegalStateException(late);
                    } catch (InterruptedException interrupted) {
                        Thread.currentThread().interrupt();
                        throw new IllegalStateException(interrupted);
                    }
                },
                application::close);
    }

    static ConfigurableApplicationContext open(Ground ground, Class<?> configuration) {
        ConfigurableApplicationContext application = new SpringApplicationBuilder(configuration)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + ground.url(),
                        "spring.datasource.hikari.maximum-pool-size=" + ground.connections(),
                        "spring.datasource.hikari.connection-timeout=" + Ground.PATIENCE.toMillis(),
                        "saga.runs.concurrency=" + ground.callers(),
                        "saga.runs.queue-concurrency=" + ground.callers(),
                        "spring.main.banner-mode=off")
                .run();
        Ground.fill(application.getBean(DataSource.class), ground.connections());
        return application;
    }

    interface One {
        String run(String id);
    }

    /** A workflow of DBOS with one step. */
    static final class OneOfDbos implements One {

        private final DBOS dbos;
        private final Map<String, Long> begun;

        OneOfDbos(DBOS dbos, Map<String, Long> begun) {
            this.dbos = dbos;
            this.begun = begun;
        }

        @Override
        @Workflow
        public String run(String id) {
            begun.putIfAbsent(id, System.nanoTime());
            return dbos.runStep(() -> id, "only");
        }
    }

    /** Creates flows of DBOS, in a queue that DBOS polls ten times as often as by default. */
    static QueuedFlows dbos(Ground ground) {
        HikariDataSource pool = ground.pool();
        DBOS dbos = new DBOS(DBOSConfig.defaults("benchmark")
                .withDataSource(pool)
                .withDatabaseSchema(ground.schema())
                .withMigrate(true)
                .withUseListenNotify(false));
        Map<String, Long> begun = new ConcurrentHashMap<>();
        One flow = dbos.registerProxy(One.class, new OneOfDbos(dbos, begun));
        Queue queue = new Queue("limited").withConcurrency(QueueBenchmark.LIMIT).withPollingInterval(DBOS_POLL);
        dbos.registerQueue(queue);
        dbos.launch();
        return new QueuedFlows(
                begun,
                id -> {
                    String unused = dbos.<String, RuntimeException>startWorkflow(
                                    () -> flow.run(id), new StartWorkflowOptions(queue))
                            .getResult();
                },
                () -> {
                    dbos.shutdown();
                    pool.close();
                });
    }
}
