package io.sagaspring.benchmarks;

import io.sagaspring.autoconfigure.FoundationAutoConfiguration;
import io.sagaspring.autoconfigure.IdempotencyAutoConfiguration;
import io.sagaspring.autoconfigure.SchemaAutoConfiguration;
import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.IdempotencyKey;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What an idempotent request costs beside the statements that one would write by hand: a new key and its repetition. The
 * work is a transaction that writes one row, and in one variant the key commits in it.
 */
final class KeyBenchmark {

    private static final int COUNTED = 100;
    private static final AtomicLong keys = new AtomicLong();

    private KeyBenchmark() {}

    enum Variant {
        BY_HAND("L: check, claim, complete, read, by hand"),
        TWO_COMMITS("`idempotency.execute(…)`"),
        ONE_COMMIT("`idempotency.inTransaction().execute(…)`");

        private final String description;

        Variant(String description) {
            this.description = description;
        }
    }

    /** Sends a request under a new key, and once more. */
    interface Sender {
        void sendTwice(String requestId);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        SchemaAutoConfiguration.class,
        FoundationAutoConfiguration.class,
        IdempotencyAutoConfiguration.class
    })
    static class KeyApplication {}

    /** What one pair of requests, alone, sends. */
    record Traffic(double statements, double roundTrips) {}

    /** How many ask at once, and how long each flush of the log takes beyond what this disk needs. */
    record Setting(int callers, Duration flush) {

        /** The server waits that long before a flush, and takes along what other commits have written until then. */
        String driverSetting() {
            return "options=-c%%20commit_delay=%d%%20-c%%20commit_siblings=0".formatted(flush.toNanos() / 1000);
        }
    }

    /** Pairs of requests in a second, by contender, in slices that may be compared. */
    record Results(Map<Setting, List<Map<Variant, Double>>> rounds, Map<Variant, Traffic> traffic) {}

    public static void main(String[] args) throws IOException {
        List<Setting> settings = new ArrayList<>();
        for (Duration flush : List.of(Duration.ZERO, Duration.ofMillis(1))) {
            settings.add(new Setting(1, flush));
            settings.add(new Setting(16, flush));
        }
        print(measure(settings, 40, 10, Duration.ofMillis(500)));
    }

    static Results measure(List<Setting> settings, int rounds, int warmUp, Duration slice) throws IOException {
        try (DurableDatabase database = DurableDatabase.open()) {
            JdbcClient.create(database.dataSource()).sql(KeysByHand.TABLE).update();
            Map<Variant, Traffic> traffic = new EnumMap<>(Variant.class);
            try (var context = open(database.urlWith(WireCounter.DRIVER_SETTING), 1)) {
                senders(context).forEach((variant, sender) -> traffic.put(variant, traffic(sender)));
            }
            Map<Setting, List<Map<Variant, Double>>> measured = new LinkedHashMap<>();
            for (Setting setting : settings) {
                try (var context = open(database.urlWith(setting.driverSetting()), setting.callers())) {
                    measured.put(setting, rounds(senders(context), setting.callers(), rounds, warmUp, slice));
                }
            }
            return new Results(measured, traffic);
        }
    }

    private static ConfigurableApplicationContext open(String url, int connections) {
        return new SpringApplicationBuilder(KeyApplication.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + url,
                        "spring.datasource.hikari.maximum-pool-size=" + connections,
                        "spring.main.banner-mode=off")
                .run();
    }

    private static Map<Variant, Sender> senders(ConfigurableApplicationContext context) {
        DataSource pool = context.getBean(DataSource.class);
        TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        Consumer<String> business = requestId -> KeysByHand.work(pool, requestId);
        Consumer<String> committed = requestId -> transaction.executeWithoutResult(begun -> business.accept(requestId));
        Idempotency twoCommits = context.getBean(Idempotency.class);
        Idempotency oneCommit = twoCommits.inTransaction();
        Map<Variant, Sender> senders = new EnumMap<>(Variant.class);
        senders.put(Variant.BY_HAND, new KeysByHand(pool, committed)::sendTwice);
        senders.put(Variant.TWO_COMMITS, requestId -> sendTwice(twoCommits, "two", requestId, committed));
        senders.put(Variant.ONE_COMMIT, requestId -> sendTwice(oneCommit, "one", requestId, business));
        return senders;
    }

    private static void sendTwice(Idempotency idempotency, String operation, String requestId, Consumer<String> work) {
        IdempotencyKey key = IdempotencyKey.of(operation, requestId);
        String first = idempotency.execute(key, String.class, () -> {
            work.accept(requestId);
            return KeysByHand.REPLY;
        });
        String second = idempotency.execute(key, String.class, () -> "done twice");
        if (!first.equals(second)) {
            throw new IllegalStateException("%s was replied %s".formatted(requestId, second));
        }
    }

    private static Traffic traffic(Sender sender) {
        // The first time some ask the database about itself.
        sender.sendTwice("first");
        WireCounter.Counts before = WireCounter.sent();
        for (int each = 0; each < COUNTED; each++) {
            sender.sendTwice("counted-" + each);
        }
        WireCounter.Counts sent = WireCounter.sent().minus(before);
        return new Traffic((double) sent.statements() / COUNTED, (double) sent.roundTrips() / COUNTED);
    }

    private static List<Map<Variant, Double>> rounds(
            Map<Variant, Sender> senders, int callers, int rounds, int warmUp, Duration slice) {
        List<Map<Variant, Double>> measured = new ArrayList<>();
        List<Variant> order = new ArrayList<>(senders.keySet());
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            for (int round = -warmUp; round < rounds; round++) {
                Map<Variant, Double> slices = new EnumMap<>(Variant.class);
                for (Variant variant : order) {
                    Sender sender = Objects.requireNonNull(senders.get(variant));
                    slices.put(variant, perSecond(sender, threads, callers, slice));
                }
                if (round >= 0) {
                    measured.add(slices);
                }
                // So that nobody always comes after the same one.
                Collections.rotate(order, 1);
            }
        } finally {
            threads.shutdownNow();
        }
        return measured;
    }

    private static double perSecond(Sender sender, ExecutorService threads, int callers, Duration slice) {
        long begun = System.nanoTime();
        long end = begun + slice.toNanos();
        List<Future<Integer>> running = new ArrayList<>();
        for (int caller = 0; caller < callers; caller++) {
            running.add(threads.submit(() -> {
                int sent = 0;
                for (; System.nanoTime() < end; sent++) {
                    sender.sendTwice("request-" + keys.incrementAndGet());
                }
                return sent;
            }));
        }
        int sent = 0;
        for (Future<Integer> each : running) {
            try {
                sent += each.get();
            } catch (ExecutionException failed) {
                throw new IllegalStateException("A caller failed", failed.getCause());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(interrupted);
            }
        }
        return sent * 1e9 / (System.nanoTime() - begun);
    }

    private static void print(Results results) {
        System.out.println("\nA new key and its repetition, × L: medians, in brackets the quartiles.\n");
        results.rounds().forEach((setting, rounds) -> {
            System.out.printf(
                    Locale.ROOT,
                    "%d at once, a flush takes %d ms longer: L %.0f pairs/s%n",
                    setting.callers(),
                    setting.flush().toMillis(),
                    rounds.stream()
                            .mapToDouble(round -> Objects.requireNonNull(round.get(Variant.BY_HAND)))
                            .average()
                            .orElseThrow());
            for (Variant variant : Variant.values()) {
                System.out.printf(Locale.ROOT, "| %s | %s |%n", variant.description, ratio(rounds, variant));
            }
        });
        System.out.println("\n| sent for one pair | statements | round trips |\n| --- | --- | --- |");
        results.traffic()
                .forEach((variant, traffic) -> System.out.printf(
                        Locale.ROOT,
                        "| %s | %.1f | %.1f |%n",
                        variant.description,
                        traffic.statements(),
                        traffic.roundTrips()));
    }

    private static String ratio(List<Map<Variant, Double>> rounds, Variant variant) {
        double[] ratios = rounds.stream()
                .mapToDouble(round ->
                        Objects.requireNonNull(round.get(variant)) / Objects.requireNonNull(round.get(Variant.BY_HAND)))
                .sorted()
                .toArray();
        return Arrays.stream(new double[] {0.5, 0.25, 0.75})
                .mapToObj(share ->
                        String.format(Locale.ROOT, "%.2f", ratios[(int) Math.round(share * (ratios.length - 1))]))
                .reduce((text, next) -> text.contains("(") ? text + "–" + next + ")" : text + " (" + next)
                .orElseThrow();
    }
}
