package io.sagaspring.benchmarks;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.CronSchedule;
import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.autoconfigure.ScheduleAutoConfiguration;
import io.sagaspring.benchmarks.Contest.Setting;
import io.sagaspring.schedule.Firing;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;

/** Measures how late the work begins when many schedules fire at the same instants. */
final class ScheduleBenchmark {

    private static final int THREADS = 16;
    private static final int CONNECTIONS = 16;
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofMillis(20);

    private ScheduleBenchmark() {}

    enum Contender {
        OURS("`@RunSchedule`"),
        DB_SCHEDULER("db-scheduler");

        private final String description;

        Contender(String description) {
            this.description = description;
        }

        @Override
        public String toString() {
            return description;
        }
    }

    /**
     * Many schedules with the same instants.
     *
     * @param count the number of schedules
     * @param every the interval between two instants
     * @param cron the same instants as a cron expression
     */
    record Many(int count, Duration every, String cron) {

        static final Many EACH_MINUTE = new Many(1_000, Duration.ofMinutes(1), "0 * * * * *");
    }

    /** A firing that has begun. */
    private record Begun(Instant at, Duration late) {

        static Begun now(Instant at) {
            return new Begun(at, Duration.between(at, Instant.now()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(OurFlows.Application.class)
    @ImportAutoConfiguration(ScheduleAutoConfiguration.class)
    static class Application {}

    public static void main(String[] args) throws IOException {
        int rounds = Rounds.givenOr(5);
        System.out.printf(
                "Time from the instant of a schedule until the scheduled work begins. %d schedules fire at the same time, %d times.%n%n",
                Many.EACH_MINUTE.count(), rounds);
        System.out.println("| contender | median | 99th percentile | longest | firings |");
        System.out.println("| --- | --- | --- | --- | --- |");
        measure(Many.EACH_MINUTE, rounds).forEach((contender, late) -> {
            List<Duration> sorted = late.stream().sorted().toList();
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %d ms | %d ms | %d ms | %d |%n",
                    contender,
                    quantile(sorted, 0.5),
                    quantile(sorted, 0.99),
                    quantile(sorted, 1),
                    sorted.size());
        });
    }

    private static long quantile(List<Duration> sorted, double share) {
        return sorted.get((int) Math.round(share * (sorted.size() - 1))).toMillis();
    }

    /**
     * Measures each contender alone, one after the other. The firings of the first instant are a warm-up and are not
     * counted.
     */
    static Map<Contender, List<Duration>> measure(Many schedules, int rounds) throws IOException {
        Map<Contender, List<Duration>> measured = new EnumMap<>(Contender.class);
        try (DurableDatabase database = DurableDatabase.open()) {
            for (Contender contender : Contender.values()) {
                Ground ground = new Ground(
                                database, "many_schedules", Setting.ALONE.driverSetting(), THREADS, CONNECTIONS)
                        .emptied();
                Queue<Begun> begun = new ConcurrentLinkedQueue<>();
                Runnable stop = contender == Contender.OURS
                        ? ours(ground, schedules, begun)
                        : dbScheduler(ground, schedules, begun);
                try {
                    measured.put(contender, late(schedules, begun, rounds));
                } finally {
                    stop.run();
                }
            }
        }
        return measured;
    }

    private static Runnable ours(Ground ground, Many schedules, Queue<Begun> begun) {
        Class<? extends ManySchedules> type = ManySchedules.with(schedules.count(), schedules.every());
        Consumer<Firing> note = firing -> begun.add(Begun.now(firing.at()));
        ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + ground.url(),
                        "spring.datasource.hikari.maximum-pool-size=" + ground.connections(),
                        "saga.runs.concurrency=" + ground.callers(),
                        "saga.schedules.poll-interval=" + POLL,
                        "spring.main.banner-mode=off")
                .initializers(context -> ((GenericApplicationContext) context).registerBean(type, note))
                .run();
        Ground.fill(application.getBean(DataSource.class), ground.connections());
        return application::close;
    }

    private static Runnable dbScheduler(Ground ground, Many schedules, Queue<Begun> begun) {
        ground.run(DbSchedulerFlows.TABLE);
        HikariDataSource pool = ground.pool();
        List<RecurringTask<Void>> tasks = IntStream.range(0, schedules.count())
                .mapToObj(number -> Tasks.recurring("schedule-" + number, new CronSchedule(schedules.cron()))
                        .execute((instance, context) ->
                                begun.add(Begun.now(context.getExecution().getExecutionTime()))))
                .toList();
        Scheduler scheduler = Scheduler.create(pool)
                .startTasks(tasks)
                .threads(ground.callers())
                .pollUsingLockAndFetch(1.0, 4.0)
                .pollingInterval(POLL)
                .shutdownMaxWait(Duration.ofSeconds(10))
                .build();
        scheduler.start();
        return () -> {
            scheduler.stop();
            pool.close();
        };
    }

    /**
     * Waits for this many firings of each schedule after the first instant, on average, and returns how late each firing
     * began. On a slow machine, a schedule may skip an instant.
     */
    private static List<Duration> late(Many schedules, Queue<Begun> begun, int rounds) {
        long end = System.nanoTime()
                + schedules
                        .every()
                        .multipliedBy(rounds + 2L)
                        .plus(Ground.PATIENCE)
                        .toNanos();
        List<Duration> late = List.of();
        while (late.size() < schedules.count() * rounds) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException(
                        "Only %d of %d firings have begun.".formatted(late.size(), schedules.count() * rounds));
            }
            LockSupport.parkNanos(LOOK.toNanos());
            Instant first =
                    begun.stream().map(Begun::at).min(Comparator.naturalOrder()).orElse(Instant.EPOCH);
            late = begun.stream()
                    .filter(each -> each.at().isAfter(first))
                    .limit((long) schedules.count() * rounds)
                    .map(Begun::late)
                    .toList();
        }
        return late;
    }
}
