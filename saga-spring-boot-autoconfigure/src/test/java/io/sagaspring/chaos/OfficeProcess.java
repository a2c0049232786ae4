package io.sagaspring.chaos;

import io.sagaspring.chaos.Office.Place;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunNotCompletedException;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import io.sagaspring.shop.Interference.Around;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.Objects;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A node ({@link Office}) in its own JVM. It reads commands, and ends with the process that started it. */
final class OfficeProcess {

    private final Office office;
    private final PrintStream output;
    private final CountDownLatch go = new CountDownLatch(1);

    private volatile @Nullable Jam jam;

    private OfficeProcess(Place place, PrintStream output) {
        this.office = new Office(place, new Around() {}, (run, id, event) -> output.println(event + " " + id));
        this.output = output;
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream output = System.out;
        System.setOut(System.err);
        OfficeProcess process = new OfficeProcess(
                new Place(
                        arguments[0],
                        arguments[1],
                        arguments[2],
                        Duration.parse(arguments[3]),
                        Integer.parseInt(arguments[4]),
                        Commits.valueOf(arguments[5]),
                        Duration.parse(arguments[6])),
                output);
        output.println("READY");
        try (Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8)) {
            while (lines.hasNextLine()) {
                process.obey(new Scanner(lines.nextLine()));
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private void obey(Scanner words) {
        switch (words.next()) {
            case "open" -> office.opened();
            case "crash" -> crash(RunCrashPoint.valueOf(words.next()));
            case "crash-start" -> crashStart(HaltAtStatement.Moment.valueOf(words.next()));
            case "pick-up-nothing" -> office.interference().with(new PickingUpNothing());
            case "jam-direct-way" -> jamDirectWay();
            case "jam" -> jam(words.nextInt());
            case "let-go" -> letGo();
            case "recover" -> recover(words.nextInt());
            case "start" -> start(words.next());
            case "execute" -> execute(words.next());
            case "signal" -> signal(RunId.of(words.next()));
            case "linger" -> linger(words.next(), words.next().equals("deaf"));
            case "hold-fence" -> office.interference().with(heldFence());
            case "go" -> go.countDown();
            case "work" -> work(words.nextInt());
            case "work-in-tenants" -> workInTenants(words.nextInt());
            default -> throw new IllegalArgumentException(words.toString());
        }
    }

    private void crash(RunCrashPoint point) {
        office.interference().with(point.statements());
        if (point.lingers()) {
            office.stepHook = step -> {
                if (point.closes()) {
                    begin("closes", office.engine()::close);
                }
                new CountDownLatch(1).await();
            };
        }
        office.opened();
    }

    private void crashStart(HaltAtStatement.Moment moment) {
        office.interference().with(new HaltAtStatement(moment, EngineStatement.RUN_BATCHED_START));
        office.opened();
        begin("start", () -> office.runs().start(Errand.class, "without a key"));
    }

    private void jamDirectWay() {
        try {
            Jam.ofTheDirectWay(office.interference(), office.store());
        } catch (InterruptedException closing) {
            throw new IllegalStateException(closing);
        }
    }

    /** Lets the lingering runs continue, and reports when the given number of changes waits for a commit. */
    private void jam(int changes) {
        begin("gather", () -> {
            try {
                office.openAllConnections();
                jam = Jam.ofAllWays(office.interference(), office.store());
                office.interference().with(new PickingUpNothing());
                go.countDown();
                while (Jam.gathered() < changes) {
                    LockSupport.parkNanos(1_000_000);
                }
                output.println("GATHERED");
            } catch (InterruptedException closing) {
                throw new IllegalStateException(closing);
            }
        });
    }

    /** Lets the lingering runs continue, and reports how many changes wait for the caller that sends a batch. */
    private void letGo() {
        office.stepHook = step -> {};
        office.interference().with(new PickingUpNothing() {
            @Override
            public void before(String sql, Connection connection) {
                if (EngineStatement.RUN_BATCH.is(sql) && !Jam.isJammed(Thread.currentThread())) {
                    output.println("BATCH " + Jam.gathered());
                }
            }
        });
        Objects.requireNonNull(jam).letGo();
    }

    private void recover(int moments) {
        office.interference().with(new HaltWhileRecovering(moments));
        office.opened();
    }

    /** Starts a run, and uses the same key each time the start is repeated, like any client. */
    private void start(String key) {
        begin("start", () -> {
            var run = office.runs().start(Errand.class, key, Errand.optionsOf(key));
            output.println("BEGUN " + run.id());
        });
    }

    /** Executes a run on the thread of its caller. */
    private void execute(String key) {
        begin("execute", () -> {
            try {
                var unused = office.runs().execute(Errand.class, key, Errand.optionsOf(key), Duration.ofMinutes(1));
            } catch (InterruptedException | RunNotCompletedException ended) {
                output.println("ENDED " + ended);
            }
        });
    }

    private void signal(RunId run) {
        begin("signal", () -> output.println("TOLD " + office.runs().signal(run, Errand.WORD, "the only one", "go")));
    }

    /** Blocks in the code of a step, after its effect. A deaf step blocks even if it is interrupted. */
    private void linger(String where, boolean deaf) {
        office.stepHook = step -> {
            if (step.equals(where)) {
                output.println("INSIDE " + step);
                if (deaf) {
                    DepotProcess.awaitUninterruptibly(go);
                } else {
                    go.await();
                }
            }
        };
    }

    /** Blocks between the fence of a transactional step and its commit. */
    private Around heldFence() {
        ThreadLocal<Boolean> hasBooked = ThreadLocal.withInitial(() -> false);
        return new Around() {
            @Override
            public void after(String sql, Connection connection) {
                if (EngineStatement.BOOKING.is(sql)) {
                    hasBooked.set(true);
                } else if (EngineStatement.RUN_CHECKPOINT.is(sql) && hasBooked.get()) {
                    output.println("FENCED");
                    DepotProcess.awaitUninterruptibly(go);
                }
            }
        };
    }

    /**
     * Starts runs of {@link Errand} in an endless loop. Each run completes only after an {@link Answer} has sent it a
     * signal.
     */
    private void work(int threads) {
        AtomicInteger number = new AtomicInteger();
        office.opened();
        for (int thread = 0; thread < threads; thread++) {
            begin("work", () -> {
                while (true) {
                    String key = "asking-%s-%d".formatted(office.name(), number.incrementAndGet());
                    var run = office.runs().start(Errand.class, key, Errand.optionsOf(key));
                    output.println("BEGUN " + run.id());
                    try {
                        var unused = run.await(Duration.ofSeconds(1));
                    } catch (Exception timedOut) {
                        // The client stops waiting and starts the next run.
                    }
                }
            });
        }
    }

    /** Starts runs of two tenants in an endless loop. Both tenants use the same keys. */
    private void workInTenants(int cycle) {
        office.opened();
        for (String tenant : Office.TENANTS.all()) {
            begin("work of " + tenant, () -> {
                for (int number = 0; true; number++) {
                    String input = TenantErrand.input(tenant, number);
                    String key = "errand-%s-%s".formatted(cycle, number);
                    var run = Office.TENANTS.in(
                            tenant, () -> office.runs().start(TenantErrand.class, input, RunOptions.withKey(key)));
                    output.println("BEGUN " + run.id());
                    LockSupport.parkNanos(5_000_000);
                }
            });
        }
    }

    private static void begin(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
