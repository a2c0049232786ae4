package io.sagaspring.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Many concurrent callers that work on the entities of one contender for a while. */
final class Load implements AutoCloseable {

    static final int CALLERS = 16;

    /** The number of entities of each caller, large enough that two callers rarely use the same page of the table. */
    private static final int BALLS_PER_CALLER = 100;

    private static final int HOT_BALLS = 4;

    static final int BALLS = CALLERS * BALLS_PER_CALLER + HOT_BALLS;

    enum Setting {
        FREE("Free: each caller has its own entities"),
        CONTENDED("Contended: %d callers on %d entities".formatted(CALLERS, HOT_BALLS));

        final String description;

        Setting(String description) {
            this.description = description;
        }
    }

    /**
     * The results of a slice.
     *
     * @param strokes the number of successful attempts
     * @param lost the number of attempts that failed because of another caller
     * @param perSecond the number of successful attempts per second
     * @param spent the resources spent by all attempts
     * @param nanos the durations of the successful attempts
     */
    record Slice(long strokes, long lost, double perSecond, Spent spent, List<Long> nanos) {}

    private final ExecutorService callers = Executors.newFixedThreadPool(CALLERS, work -> {
        Thread caller = new Thread(work, "caller");
        // Use daemon threads, so that a failure ends the process.
        caller.setDaemon(true);
        return caller;
    });
    private final ClaimBenchmark.Variant variant;
    private final Contender contender;
    private final DurableDatabase database;
    private long strokes;

    /**
     * The number of transitions of each entity, which determines the next step. Every caller tries this step, as if the
     * caller had read the entity. After a transition, the caller adds one. If callers set the next step instead, a
     * delayed caller would overwrite the step that another caller has set.
     */
    private final AtomicIntegerArray made = new AtomicIntegerArray(BALLS);

    Load(ClaimBenchmark.Variant variant, Contender contender, DurableDatabase database) {
        this.variant = variant;
        this.contender = contender;
        this.database = database;
    }

    ClaimBenchmark.Variant variant() {
        return variant;
    }

    Contender contender() {
        return contender;
    }

    /** Returns the number of successful attempts in all slices. */
    long strokes() {
        return strokes;
    }

    Slice during(Setting setting, Duration time) {
        Spent before = database.spent();
        long begun = System.nanoTime();
        long end = begun + time.toNanos();
        List<Future<Calls>> running = new ArrayList<>();
        for (int caller = 0; caller < CALLERS; caller++) {
            int number = caller;
            running.add(callers.submit(() -> call(number, setting, end)));
        }
        Calls all = new Calls();
        running.forEach(each -> all.add(result(each)));
        long elapsed = System.nanoTime() - begun;
        strokes += all.strokes;
        return new Slice(
                all.strokes,
                all.lost,
                all.strokes * 1e9 / elapsed,
                database.spent().minus(before),
                Arrays.stream(all.nanos, 0, all.strokes).boxed().toList());
    }

    private Calls call(int caller, Setting setting, long end) {
        Calls calls = new Calls();
        int turn = 0;
        long now = System.nanoTime();
        // Work at least once, even if this thread gets a core only after a short slice has ended.
        do {
            int ball = setting == Setting.FREE
                    ? caller * BALLS_PER_CALLER + turn++ % BALLS_PER_CALLER
                    : BALLS - 1 - ThreadLocalRandom.current().nextInt(HOT_BALLS);
            Ball.Stroke stroke = made.get(ball) % 2 == 0 ? Ball.Stroke.SERVE : Ball.Stroke.RETURN;
            boolean done = contender.tryStroke(ball, stroke);
            long after = System.nanoTime();
            if (done) {
                made.incrementAndGet(ball);
                calls.add(after - now);
            } else if (setting == Setting.FREE) {
                throw new IllegalStateException(
                        "The transition of entity %d failed, although no other caller uses it".formatted(ball));
            } else {
                calls.lost++;
            }
            now = after;
        } while (now < end);
        return calls;
    }

    private static final class Calls {
        private long[] nanos = new long[1024];
        private int strokes;
        private long lost;

        void add(long took) {
            if (strokes == nanos.length) {
                nanos = Arrays.copyOf(nanos, strokes * 2);
            }
            nanos[strokes++] = took;
        }

        void add(Calls other) {
            for (int each = 0; each < other.strokes; each++) {
                add(other.nanos[each]);
            }
            lost += other.lost;
        }
    }

    private static Calls result(Future<Calls> caller) {
        try {
            return caller.get();
        } catch (ExecutionException failed) {
            throw new IllegalStateException("A caller failed", failed.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    @Override
    public void close() {
        callers.shutdown();
    }
}
