package io.sagaspring.chaos;

import io.sagaspring.chaos.Journal.What;
import io.sagaspring.chaos.Mover.Hooks;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.TransitionOutcome.Completed;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Scanner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A depot in its own JVM. It reads commands from its standard input, one per line, and writes what it did to its
 * standard output. It ends with the process that started it.
 */
final class DepotProcess {

    private final Depot depot;
    private final Gate gate;
    private final Switch around;
    private final Journal journal;
    private final String name;
    private final PrintStream output;
    private final CountDownLatch go = new CountDownLatch(1);

    private DepotProcess(Depot depot, Gate gate, Switch around, String name, PrintStream output) {
        this.depot = depot;
        this.gate = gate;
        this.around = around;
        this.journal = depot.bean(Journal.class);
        this.name = name;
        this.output = output;
    }

    /** The interference behind the gate. A command can replace it. */
    private static final class Switch implements Around {

        private volatile Around current = new Around() {};

        @Override
        public void before(String sql, Connection connection) throws SQLException {
            current.before(sql, connection);
        }

        @Override
        public void after(String sql, Connection connection) throws SQLException {
            current.after(sql, connection);
        }
    }

    public static void main(String[] settings) throws IOException {
        PrintStream output = System.out;
        System.setOut(System.err);
        DepotProcess process = open(Stream.of(settings), output);
        output.println("READY");
        try (BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = commands.readLine(); line != null && !line.equals("exit"); line = commands.readLine()) {
                process.obey(line);
            }
        }
        process.depot.close();
        System.exit(0);
    }

    private static DepotProcess open(Stream<String> settings, PrintStream output) {
        Map<String, String> map = settings.collect(Collectors.toMap(
                each -> each.substring(0, each.indexOf('=')),
                each -> each.substring(each.indexOf('=') + 1),
                (common, ownOfTheTest) -> ownOfTheTest));
        Switch around = new Switch();
        Gate gate = new Gate(around);
        Depot depot = Depot.open(map, gate);
        return new DepotProcess(depot, gate, around, String.valueOf(map.get("depot.name")), output);
    }

    private void obey(String line) {
        Scanner words = new Scanner(line);
        switch (words.next()) {
            case "open" -> gate.open();
            case "crash" -> crash(CrashPoint.valueOf(words.next()), words.nextLong());
            case "run" -> run(words.next(), words.nextLong());
            case "linger" -> depot.mover().hooks = lingering(words.next().equals("deaf"));
            case "hold-fence" -> around.current = heldFence();
            case "go" -> go.countDown();
            case "work" -> work(words.nextInt(), words.nextLong(), words.nextLong(), words.nextLong());
            case "spread" -> spread(words.nextInt(), words.nextLong(), words.nextLong());
            case "hot" -> hot(words.nextInt(), words.nextLong(), words.nextLong());
            case "credits" ->
                credits(words.nextInt(), words.nextInt(), words.nextInt(), words.nextInt(), words.nextInt());
            case "deposits" -> deposits(words.nextInt(), words.nextInt());
            default -> throw new IllegalArgumentException(line);
        }
    }

    /** Runs every step of a depot once, so that the JVM loads all classes. */
    static void rehearse(List<String> settings) {
        DepotProcess process = open(settings.stream(), System.out);
        process.gate.open();
        Depot depot = process.depot;
        JdbcClient client = JdbcClient.create(depot.bean(DataSource.class));
        client.sql("INSERT INTO crate (status, note, version) VALUES ('HOME', '', 0)")
                .update();
        long crate = client.sql("SELECT id FROM crate").query(Long.class).single();
        for (String step : List.of("ship", "fetch", "haul")) {
            TransitionOutcome unused = depot.run(step, crate);
        }
        depot.close();
    }

    private void crash(CrashPoint point, long crate) {
        depot.mover().hooks = point.hooks();
        around.current = point.statements();
        if (point.activity() == CrashPoint.Activity.SWEEP) {
            gate.open();
            return;
        }
        begin("step", () -> {
            TransitionOutcome unused = depot.repeatable("ship", crate);
            point.stepReturned();
            // Allow background work to be picked up only after the step has returned.
            gate.open();
        });
    }

    private void run(String step, long crate) {
        begin("step", () -> {
            String outcome;
            try {
                outcome = depot.run(step, crate).name();
            } catch (Exception failed) {
                outcome = failed.toString().lines().collect(Collectors.joining(" "));
            }
            output.println("OUTCOME " + outcome);
        });
    }

    private Hooks lingering(boolean deaf) {
        return new Hooks() {
            @Override
            public ActionResult written(Crate crate, ActionContext context) throws Exception {
                output.println("INSIDE");
                if (deaf) {
                    awaitUninterruptibly(go);
                } else {
                    go.await();
                }
                return Hooks.super.written(crate, context);
            }
        };
    }

    private Around heldFence() {
        return new Around() {
            private final AtomicBoolean first = new AtomicBoolean(true);

            @Override
            public void after(String sql, Connection connection) {
                if (EngineStatement.FENCE.is(sql) && first.getAndSet(false)) {
                    output.println("FENCED");
                    awaitUninterruptibly(go);
                }
            }
        };
    }

    /** Runs steps in an endless loop. Each succeeds, fails or throws an exception at random. */
    private void work(int threads, long seed, long first, long last) {
        depot.mover().hooks = new Hooks() {
            @Override
            public ActionResult written(Crate crate, ActionContext context) throws Exception {
                int dice = ThreadLocalRandom.current().nextInt(100);
                // Some actions last longer than the keeper's heartbeat interval.
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(dice < 2 ? 500_000 : dice * 50));
                if (dice >= 97) {
                    throw new IOException("The crate slipped.");
                }
                return dice >= 90 ? ActionResult.failure("no cart") : Hooks.super.written(crate, context);
            }
        };
        gate.open();
        AtomicBoolean begun = new AtomicBoolean();
        for (int thread = 0; thread < threads; thread++) {
            Random random = new Random(seed * 31 + thread);
            begin("work", () -> {
                while (true) {
                    long crate = first + random.nextInt((int) (last - first + 1));
                    String step = List.of("ship", "haul", "fetch", "fetch").get(random.nextInt(4));
                    try {
                        if (depot.run(step, crate) instanceof Completed completed) {
                            journal.write(What.DONE, name, crate, String.valueOf(completed.result()));
                        }
                    } catch (Exception slipped) {
                        // Exceptions are expected here. The inspection finds everything that the engine has lost.
                    }
                    if (!begun.getAndSet(true)) {
                        output.println("WORKS");
                    }
                }
            });
        }
    }

    /** Makes each thread run the step "haul" on every crate of its share. */
    private void spread(int threads, long first, long last) {
        race(threads, (thread, outcomes) -> {
            for (long crate = first + thread; crate <= last; crate += threads) {
                outcomes.accept(depot.run("haul", crate).name());
            }
        });
    }

    /** Makes all threads move the same crate back and forth, until it has moved often enough. */
    private void hot(int threads, long crate, long rounds) {
        AtomicBoolean movedOftenEnough = new AtomicBoolean();
        depot.mover().hooks = new Hooks() {
            @Override
            public ActionResult written(Crate crate, ActionContext context) throws Exception {
                movedOftenEnough.compareAndSet(false, crate.version() > 2 * rounds);
                return Hooks.super.written(crate, context);
            }
        };
        race(threads, (thread, outcomes) -> {
            while (!movedOftenEnough.get()) {
                outcomes.accept(depot.run("haul", crate).name());
                outcomes.accept(depot.run("fetch", crate).name());
            }
        });
    }

    /** Sends this node's share of all requests in random order. Together, the nodes send each request several times. */
    private void credits(int threads, int node, int nodes, int requests, int times) {
        List<Integer> share = new ArrayList<>();
        for (int sent = node; sent < 2 * requests * times; sent += nodes) {
            share.add(sent);
        }
        Collections.shuffle(share, new Random(node));
        Queue<Integer> remaining = new ConcurrentLinkedQueue<>(share);
        Teller teller = depot.bean(Teller.class);
        race(threads, (thread, outcomes) -> {
            for (Integer sent = remaining.poll(); sent != null; sent = remaining.poll()) {
                String owner = sent % (2 * requests) < requests ? "ada" : "bob";
                long number = sent % requests;
                Teller.OWNER.set(owner);
                journal.write(What.DONE, name, number, owner + "|" + teller.credit(number));
                outcomes.accept("replied");
            }
        });
    }

    /** Executes requests in an endless loop, with same-transaction keys and with other idempotency keys. */
    private void deposits(int threads, int requests) {
        Teller teller = depot.bean(Teller.class);
        AtomicBoolean begun = new AtomicBoolean();
        for (int thread = 0; thread < threads; thread++) {
            begin("deposits", () -> {
                Teller.OWNER.set("killed");
                while (true) {
                    long number = 1L + ThreadLocalRandom.current().nextInt(requests);
                    journal.write(What.DONE, name, number, "deposit|" + teller.deposit(number));
                    journal.write(What.DONE, name, number, "credit|" + teller.credit(number));
                    if (!begun.getAndSet(true)) {
                        output.println("WORKS");
                    }
                }
            });
        }
    }

    private void race(int threads, BiConsumer<Integer, Consumer<String>> each) {
        Map<String, LongAdder> counts = new ConcurrentHashMap<>();
        CountDownLatch running = new CountDownLatch(threads);
        for (int number = 0; number < threads; number++) {
            int thread = number;
            begin("race", () -> {
                try {
                    each.accept(thread, outcome -> count(counts, outcome));
                } catch (RuntimeException failed) {
                    count(counts, failed.getClass().getSimpleName());
                    throw failed;
                } finally {
                    running.countDown();
                }
            });
        }
        begin("race-over", () -> {
            awaitUninterruptibly(running);
            output.println("RACED "
                    + counts.entrySet().stream()
                            .map(count -> count.getKey() + "=" + count.getValue())
                            .collect(Collectors.joining(" ")));
        });
    }

    private static void count(Map<String, LongAdder> counts, String name) {
        counts.computeIfAbsent(name, any -> new LongAdder()).increment();
    }

    static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException interruption) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void begin(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
