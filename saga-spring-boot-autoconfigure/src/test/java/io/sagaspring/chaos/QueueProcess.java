package io.sagaspring.chaos;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.chaos.Office.Place;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import io.sagaspring.run.queue.QueueLimits;
import io.sagaspring.shop.Interference.Around;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Scanner;

/**
 * A node ({@link Office}) with queues, in its own JVM. It reads commands, and ends with the process that started it.
 */
final class QueueProcess {

    private QueueProcess() {}

    public static void main(String[] arguments) throws IOException {
        PrintStream output = System.out;
        System.setOut(System.err);
        Place place = new Place(
                arguments[0],
                arguments[1],
                arguments[2],
                Duration.parse(arguments[3]),
                Integer.parseInt(arguments[4]),
                Commits.valueOf(arguments[5]),
                Duration.parse(arguments[6]));
        // A new connection for each check would cost more than the runs.
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(place.database());
        pool.setMinimumIdle(0);
        Office office = new Office(
                place, new Around() {}, (run, id, event) -> {}, new QueueErrand(pool, place.name(), arguments[7]));
        output.println("READY");
        try (Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8)) {
            while (lines.hasNextLine()) {
                obey(office, output, new Scanner(lines.nextLine()));
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static void obey(Office office, PrintStream output, Scanner words) {
        switch (words.next()) {
            case "open" -> {
                var unused = office.opened();
            }
            case "crash" ->
                office.interference().with(QueueCrashPoint.valueOf(words.next()).statements());
            case "start" ->
                begin(() ->
                        office.runs().start(QueueErrand.class, "key/0", QueueErrand.options(words.next(), "key", 0)));
            case "replace" -> begin(() -> office.runs().start(QueueErrand.class, "two/1", QueueErrand.REPLACEABLE));
            case "pause" -> begin(() -> office.runs().queue("psp").pause("test", "a test"));
            case "lower" -> begin(() -> office.runs().queue("psp").limits(QueueLimits.atOnce(1), "test", "a test"));
            case "reclaim" ->
                begin(() -> office.store().queues().reclaim(office.engine().queueNames(), Duration.ofMillis(1)));
            default -> throw new IllegalArgumentException(words.toString());
        }
        output.println("OBEYED");
    }

    private static void begin(Runnable work) {
        Thread thread = new Thread(work, "work");
        thread.setDaemon(true);
        thread.start();
    }
}
