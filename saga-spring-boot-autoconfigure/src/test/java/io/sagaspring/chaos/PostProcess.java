package io.sagaspring.chaos;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.Scanner;

/** A {@link PostOffice} in its own JVM. It reads commands, and ends with the process that started it. */
final class PostProcess {

    private PostProcess() {}

    public static void main(String[] arguments) throws IOException {
        PrintStream output = System.out;
        System.setOut(System.err);
        PostOffice office = new PostOffice(arguments[0], arguments[1]);
        output.println("READY");
        try (Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8)) {
            while (lines.hasNextLine()) {
                Scanner words = new Scanner(lines.nextLine());
                String command = words.next();
                switch (command) {
                    case "post" -> postAll(office, words.nextInt(), words.nextInt(), new Random(words.nextLong()));
                    case "open" -> {
                        PostOffice unused = office.opened();
                    }
                    case "crash" -> crash(office, DeliveryCrashPoint.valueOf(words.next()));
                    default -> throw new IllegalArgumentException(words.toString());
                }
                output.println("OK " + command);
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static void postAll(PostOffice office, int letters, int keys, Random random) {
        for (int each = 0; each < letters; each++) {
            office.post("key-" + random.nextInt(keys));
        }
    }

    private static void crash(PostOffice office, DeliveryCrashPoint point) {
        office.postbox.isJammed = point.needsFailure();
        if (point.isOfPublisher()) {
            office.interference.with(point.statements());
            office.post("key-0");
        } else {
            office.interference.with(point.statements());
            PostOffice unused = office.opened();
        }
    }
}
