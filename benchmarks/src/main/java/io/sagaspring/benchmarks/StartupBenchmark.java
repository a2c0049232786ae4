package io.sagaspring.benchmarks;

import io.sagaspring.test.database.TestDatabase;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/** How much later an application is ready because of the starter. One JVM per start, the variants in turn. */
final class StartupBenchmark {

    private static final Pattern READY = Pattern.compile("ready after (\\d+) ms with (\\d+) bytes");
    private static final int ROUNDS = 10;

    private StartupBenchmark() {}

    enum Variant {
        WITHOUT("without the starter"),
        FIRST_START("with it, first start: tables are made"),
        LATER_START("with it, every later start");

        private final String description;

        Variant(String description) {
            this.description = description;
        }
    }

    /** One start: milliseconds from the start of the process, bytes of heap after a collection. */
    record Start(long millis, long heap) {}

    public static void main(String[] args) throws IOException {
        print(measure(ROUNDS));
    }

    static Map<Variant, List<Start>> measure(int rounds) throws IOException {
        Map<Variant, List<Start>> starts = new EnumMap<>(Variant.class);
        // One round more, not counted: it fills the caches of the file system.
        for (int round = 0; round <= rounds; round++) {
            try (TestDatabase database = TestDatabase.create()) {
                for (Variant variant : Variant.values()) {
                    Start start = start(variant, database);
                    requireTables(variant != Variant.WITHOUT, database);
                    if (round > 0) {
                        starts.computeIfAbsent(variant, any -> new ArrayList<>())
                                .add(start);
                    }
                }
            }
        }
        return starts;
    }

    private static void print(Map<Variant, List<Start>> starts) {
        System.out.printf("Medians of %d starts each:%n", ROUNDS);
        long baseMillis = median(starts, Variant.WITHOUT, Start::millis);
        long baseHeap = median(starts, Variant.WITHOUT, Start::heap);
        System.out.println("| application | ready after | later by | heap after a collection | more by |");
        System.out.println("| --- | --- | --- | --- | --- |");
        for (Variant variant : Variant.values()) {
            long millis = median(starts, variant, Start::millis);
            long heap = median(starts, variant, Start::heap);
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %d ms | %d ms | %.1f MB | %.1f MB |%n",
                    variant.description,
                    millis,
                    millis - baseMillis,
                    heap / 1e6,
                    (heap - baseHeap) / 1e6);
        }
    }

    private static long median(Map<Variant, List<Start>> starts, Variant variant, ToLongFunction<Start> figure) {
        List<Start> all = starts.getOrDefault(variant, List.of());
        long[] sorted = all.stream().mapToLong(figure).sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    private static Start start(Variant variant, TestDatabase database) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-classpath",
                        classPath(variant),
                        StartupApplication.class.getName(),
                        "--spring.datasource.url=" + database.getJdbcUrl(),
                        "--spring.datasource.username=" + database.getUsername(),
                        "--spring.datasource.password=" + database.getPassword(),
                        "--spring.main.banner-mode=off")
                .redirectErrorStream(true)
                .start();
        StringBuilder output = new StringBuilder();
        try (BufferedReader reader = process.inputReader()) {
            reader.lines().forEach(line -> output.append(line).append('\n'));
        }
        Matcher ready = READY.matcher(output);
        if (!ready.find()) {
            throw new IllegalStateException("The application did not start %s:%n%s".formatted(variant, output));
        }
        return new Start(Long.parseLong(ready.group(1)), Long.parseLong(ready.group(2)));
    }

    /** A start that was not what it is called would be a figure about nothing. */
    private static void requireTables(boolean expected, TestDatabase database) {
        boolean found = JdbcClient.create(database.dataSource())
                .sql("SELECT to_regclass('saga_schema_version') IS NOT NULL")
                .query(Boolean.class)
                .single();
        if (found != expected) {
            throw new IllegalStateException("The tables are %s".formatted(found ? "there already" : "missing"));
        }
    }

    /** Without the starter means without what only the starter brings; and always without JPA, which others measure. */
    private static String classPath(Variant variant) {
        Predicate<String> broughtByTheStarter = entry -> entry.contains("saga-spring-boot-autoconfigure")
                || entry.contains("saga-spring-boot-starter")
                || entry.contains("flyway-");
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !Path.of(entry).getFileName().toString().contains("hibernate"))
                .filter(variant == Variant.WITHOUT ? broughtByTheStarter.negate() : any -> true)
                .collect(Collectors.joining(File.pathSeparator));
    }
}
