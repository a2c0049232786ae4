package io.sagaspring.chaos;

import io.sagaspring.chaos.Office.Place;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import io.sagaspring.schedule.Overlap;
import io.sagaspring.shop.Interference.Around;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Scanner;

/** A {@link ScheduleNode} in its own JVM. It reads commands, and ends with the process that started it. */
final class ScheduleProcess {

    private ScheduleProcess() {}

    public static void main(String[] arguments) throws IOException {
        PrintStream output = System.out;
        System.setOut(System.err);
        Place place = new Place(
                arguments[0],
                arguments[1],
                arguments[2],
                Duration.parse(arguments[3]),
                1_000,
                Commits.valueOf(arguments[4]),
                Duration.parse(arguments[5]));
        ScheduleNode node = new ScheduleNode(place, new Around() {}, Overlap.valueOf(arguments[6]));
        output.println("READY " + Instant.now());
        try (Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8)) {
            while (lines.hasNextLine()) {
                Scanner words = new Scanner(lines.nextLine());
                switch (words.next()) {
                    case "open" -> {
                        ScheduleNode unused = node.opened();
                    }
                    case "crash" -> {
                        ScheduleCrashPoint point = ScheduleCrashPoint.valueOf(words.next());
                        node.office.interference().with(point.statements());
                        node.work(point);
                    }
                    default -> throw new IllegalArgumentException(words.toString());
                }
            }
        }
        Runtime.getRuntime().halt(0);
    }
}
