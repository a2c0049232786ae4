package io.sagaspring.fence;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Small jobs share two threads and do not affect each other. */
class JobsTests {

    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Duration NEVER_AGAIN = Duration.ofDays(1);

    private final Loops loops = new Loops();
    private final Jobs jobs = new Jobs(loops);
    private final List<Jobs.Job> started = new ArrayList<>();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    @AfterEach
    void end() throws InterruptedException {
        started.forEach(Jobs.Job::end);
        for (Thread each : threads) {
            each.join(20_000);
            assertThat(each.isAlive()).isFalse();
        }
        assertThat(loops.states()).isEmpty();
    }

    private Jobs.Job start(Loop.Turn turn) {
        Jobs.Job job = jobs.start(
                () -> {
                    threads.add(Thread.currentThread());
                    return turn.take();
                },
                SHORT,
                failed -> {});
        started.add(job);
        return job;
    }

    private static Duration hang() throws InterruptedException {
        new CountDownLatch(1).await();
        return NEVER_AGAIN;
    }

    @Test
    void manyJobsShareTwoThreads() {
        List<AtomicInteger> turns = new ArrayList<>();
        for (int each = 0; each < 10; each++) {
            AtomicInteger own = new AtomicInteger();
            turns.add(own);
            start(() -> {
                own.incrementAndGet();
                return SHORT;
            });
        }

        await().until(() -> turns.stream().allMatch(own -> own.get() > 20));

        assertThat(threads)
                .extracting(Thread::getName)
                .isSubsetOf("saga-jobs-1", "saga-jobs-2")
                .doesNotHaveDuplicates();
        assertThat(loops.states()).extracting(Loops.State::name).containsExactly("saga-jobs-1", "saga-jobs-2");
    }

    @Test
    void oneJobNeedsOneThread() {
        AtomicInteger turns = new AtomicInteger();
        start(() -> {
            turns.incrementAndGet();
            return SHORT;
        });

        await().until(() -> turns.get() > 20);

        assertThat(threads).hasSize(1);
        assertThat(loops.states()).hasSize(1);
    }

    @Test
    void aHangingJobDoesNotDelayOtherJobs() {
        AtomicInteger turns = new AtomicInteger();
        AtomicInteger others = new AtomicInteger();
        start(JobsTests::hang);
        start(() -> {
            turns.incrementAndGet();
            return SHORT;
        });
        start(() -> {
            others.incrementAndGet();
            return SHORT;
        });

        await().until(() -> turns.get() > 20 && others.get() > 20);
    }

    /** Both threads sleep until a job is due, and that job then hangs. */
    @Test
    void aHangingJobDoesNotDelayAJobThatIsDueLater() {
        AtomicInteger turns = new AtomicInteger();
        AtomicInteger others = new AtomicInteger();
        start(() -> turns.incrementAndGet() == 1 ? Duration.ofMillis(100) : hang());
        start(() -> {
            others.incrementAndGet();
            return Duration.ofMillis(150);
        });

        await().until(() -> turns.get() == 2 && others.get() > 2);
    }

    @Test
    void aJobThatIsAddedLaterBeginsImmediately() {
        AtomicInteger turns = new AtomicInteger();
        start(() -> NEVER_AGAIN);
        start(() -> NEVER_AGAIN);
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                        .filter(JobsTests::waits)
                        .count()
                == 2);

        start(() -> {
            turns.incrementAndGet();
            return SHORT;
        });

        await().until(() -> turns.get() > 20);
    }

    private static boolean waits(Thread thread) {
        return thread.getName().startsWith("saga-jobs") && thread.getState() == Thread.State.TIMED_WAITING;
    }

    @Test
    void aJobThatIsAlwaysDueDoesNotDelayOtherJobs() {
        AtomicInteger turns = new AtomicInteger();
        start(() -> Duration.ZERO);
        start(() -> Duration.ZERO);
        start(() -> {
            turns.incrementAndGet();
            return SHORT;
        });

        await().until(() -> turns.get() > 20);
    }

    @Test
    void twoThreadsDoNotExecuteAJobAtTheSameTime() {
        AtomicInteger atOnce = new AtomicInteger();
        AtomicBoolean twice = new AtomicBoolean();
        AtomicInteger turns = new AtomicInteger();
        start(() -> {
            if (atOnce.incrementAndGet() > 1) {
                twice.set(true);
            }
            Thread.onSpinWait();
            turns.incrementAndGet();
            atOnce.decrementAndGet();
            return Duration.ZERO;
        });
        start(() -> Duration.ZERO);

        await().until(() -> turns.get() > 10_000);

        assertThat(twice).isFalse();
    }

    @Test
    void aJobContinuesWhateverItThrows() {
        Set<String> reported = ConcurrentHashMap.newKeySet();
        AtomicInteger turns = new AtomicInteger();
        started.add(jobs.start(
                () -> {
                    threads.add(Thread.currentThread());
                    return switch (turns.incrementAndGet() % 4) {
                        case 0 -> throw new OutOfMemoryError("memory");
                        case 1 -> throw new StackOverflowError("stack");
                        case 2 -> throw new InterruptedException("interrupt");
                        default -> SHORT;
                    };
                },
                SHORT,
                failed -> {
                    reported.add(String.valueOf(failed.getMessage()));
                    throw new OutOfMemoryError("of the log");
                }));

        await().until(() -> turns.get() > 20);

        assertThat(reported).containsExactlyInAnyOrder("memory", "stack", "interrupt");
        assertThat(threads).hasSize(1);
    }

    @Test
    void endingAJobInterruptsThatJobOnly() throws InterruptedException {
        AtomicInteger interrupts = new AtomicInteger();
        CountDownLatch hangs = new CountDownLatch(1);
        AtomicInteger turns = new AtomicInteger();
        AtomicBoolean wasInterrupted = new AtomicBoolean();
        Jobs.Job ended = start(() -> {
            hangs.countDown();
            try {
                return hang();
            } catch (InterruptedException interrupted) {
                wasInterrupted.set(true);
                throw interrupted;
            }
        });
        start(() -> {
            turns.incrementAndGet();
            if (Thread.currentThread().isInterrupted()) {
                interrupts.incrementAndGet();
            }
            return SHORT;
        });
        assertThat(hangs.await(20, SECONDS)).isTrue();

        ended.end();

        int before = turns.get();
        await().until(() -> turns.get() > before + 20 && wasInterrupted.get());
        assertThat(interrupts).hasValue(0);
        ended.end();
        assertThat(loops.states()).hasSize(2);
    }

    @Test
    void anInterruptLeftByAnExecutionDoesNotReachTheNextExecution() {
        AtomicInteger interrupts = new AtomicInteger();
        AtomicInteger turns = new AtomicInteger();
        start(() -> {
            if (Thread.currentThread().isInterrupted()) {
                interrupts.incrementAndGet();
            }
            turns.incrementAndGet();
            Thread.currentThread().interrupt();
            return SHORT;
        });

        await().until(() -> turns.get() > 20);

        assertThat(interrupts).hasValue(0);
    }

    @Test
    void aJobCanStartAfterAllOtherJobsHaveEnded() {
        AtomicInteger turns = new AtomicInteger();
        start(() -> NEVER_AGAIN).end();
        assertThat(loops.states()).isEmpty();

        start(() -> {
            turns.incrementAndGet();
            return SHORT;
        });

        await().until(() -> turns.get() > 20);
    }

    @Test
    void aJobWhoseThreadCannotBeCreatedIsNotListed() {
        AtomicInteger made = new AtomicInteger();
        Loops poor = new Loops(work -> {
            if (made.incrementAndGet() == 1) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return new Thread(work);
        });
        Jobs few = new Jobs(poor);
        AtomicInteger turns = new AtomicInteger();

        assertThat(catchThrowable(() -> few.start(() -> SHORT, SHORT, failed -> {})))
                .isInstanceOf(OutOfMemoryError.class);
        Jobs.Job second = few.start(
                () -> {
                    turns.incrementAndGet();
                    return SHORT;
                },
                SHORT,
                failed -> {});

        await().until(() -> turns.get() > 20);
        second.end();
        assertThat(poor.states()).isEmpty();
    }
}
