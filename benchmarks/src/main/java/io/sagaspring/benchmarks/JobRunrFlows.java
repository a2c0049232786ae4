package io.sagaspring.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.jobs.Job;
import org.jobrunr.jobs.filters.ApplyStateFilter;
import org.jobrunr.jobs.states.JobState;
import org.jobrunr.jobs.states.StateName;
import org.jobrunr.scheduling.JobScheduler;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.server.JobSteward;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;
import org.jspecify.annotations.Nullable;

/**
 * JobRunr with three jobs. Each job enqueues the next one and passes its result on. The jobs are lambdas, as the chapter
 * "Enqueueing jobs" of JobRunr's documentation shows. The chapter "Fluent API" shows how to set the storage, the workers
 * and the poll interval. JobRunr's starter for Spring Boot 4 uses the same JSON mapper.
 *
 * <p>JobRunr looks for jobs when a worker ends a job, and at the poll interval. JobRunr rejects a poll interval below 5 s
 * if the storage is a database. Only JobRunr Pro has "instant job processing". With a poll interval of 5 s, the figures
 * would show only the wait for the next poll. The benchmark therefore lets JobRunr look for jobs after each start, and
 * every 10 ms while flows are open. It calls the same two methods as a worker that begins and ends a job.
 */
final class JobRunrFlows implements Flows {

    private static final Duration SMALLEST_POLL_INTERVAL = Duration.ofSeconds(5);
    private static final String LAST = "third";
    private static final Duration LOOK = Duration.ofMillis(10);

    private final Ground ground;
    private final HikariDataSource pool;
    private final JobScheduler jobs;
    private final JobSteward steward;
    private final Endings endings = new Endings();
    private final AtomicInteger open = new AtomicInteger();
    private final ScheduledExecutorService looker = Executors.newSingleThreadScheduledExecutor();
    private final Future<?> looks;
    private volatile @Nullable RuntimeException failure;

    JobRunrFlows(Ground ground) {
        this.ground = ground;
        this.pool = ground.pool();
        Steps steps = new Steps();
        this.jobs = JobRunr.configure()
                .useJsonMapper(new Jackson3JsonMapper())
                .useStorageProvider(new PostgresStorageProvider(pool))
                .useJobActivator(onlyActivating(steps))
                .withJobFilter(new Ends(endings))
                .useBackgroundJobServer(BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                        .andPollInterval(SMALLEST_POLL_INTERVAL)
                        .andWorkerCount(ground.callers()))
                .initialize()
                .getJobScheduler();
        steps.jobs = jobs;
        this.steward = JobRunr.getBackgroundJobServer().getJobSteward();
        this.looks = looker.scheduleWithFixedDelay(
                this::lookIfOpen, LOOK.toMillis(), LOOK.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static JobActivator onlyActivating(Steps steps) {
        return new JobActivator() {
            @Override
            public <T> T activateJob(Class<T> type) {
                return type.cast(steps);
            }
        };
    }

    /** The jobs of a flow. This class and its methods are public, because JobRunr calls them by reflection. */
    public static final class Steps {

        private @Nullable JobScheduler jobs;

        public void first(String flow, String input) {
            Objects.requireNonNull(jobs).<Steps>enqueue(steps -> steps.second(flow, input));
        }

        public void second(String flow, String input) {
            Objects.requireNonNull(jobs).<Steps>enqueue(steps -> steps.third(flow, input));
        }

        public void third(String flow, String input) {}
    }

    /** Notifies the caller after JobRunr has stored that the last job has succeeded. */
    private record Ends(Endings endings) implements ApplyStateFilter {

        @Override
        public void onStateApplied(Job job, @Nullable JobState before, JobState after) {
            if (after.getName() == StateName.SUCCEEDED
                    && job.getJobDetails().getMethodName().equals(LAST)) {
                Object[] values = job.getJobDetails().getJobParameterValues();
                endings.complete((String) values[0], (String) values[1]);
            }
        }
    }

    @Override
    public String run(String payload) {
        String flow = UUID.randomUUID().toString();
        open.incrementAndGet();
        try {
            jobs.<Steps>enqueue(steps -> steps.first(flow, payload));
            look();
            return endings.await(flow);
        } finally {
            open.decrementAndGet();
        }
    }

    /** Looks for jobs. The two methods also count the busy workers, so both must be called. */
    private void look() {
        steward.notifyThreadOccupied();
        steward.notifyThreadIdle();
    }

    private void lookIfOpen() {
        try {
            if (open.get() > 0) {
                look();
            }
        } catch (RuntimeException failed) {
            // The executor would not call this method again.
            failure = failed;
        }
    }

    /** Returns the number of last jobs that have succeeded. JobRunr keeps their rows for 36 hours. */
    @Override
    public long over() {
        if (failure != null) {
            throw new IllegalStateException("JobRunr could not look for jobs", failure);
        }
        return ground.count("jobrunr_jobs WHERE state = 'SUCCEEDED' AND jobsignature LIKE '%." + LAST + "(%'");
    }

    @Override
    public void close() {
        looks.cancel(false);
        looker.shutdown();
        JobRunr.destroy();
        pool.close();
    }
}
