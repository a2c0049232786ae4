package io.sagaspring.benchmarks;

import io.sagaspring.test.database.TestDatabase;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Measures how much the starter delays the start of an application. Each start has its own JVM, and the variants
 * take turns.
 */
final class StartupBenchmark {

    private static final Pattern READY = Pattern.compile("ready after (\\d+) ms with (\\d+) bytes");
    private static final Pattern STARTER =
            Pattern.compile("saga-spring-boot-autoconfigure|saga-spring-boot-starter|flyway-");
    private static final Pattern JPA = Pattern.compile("hibernate|data-jpa|data-commons|aspect");
    private static final Pattern PEERS = Pattern.compile(
            "jobrunr|shedlock|spring-integration|spring-messaging|spring-modulith|reactor-core|reactive-streams");

    private static final String PARCELS =
            "CREATE TABLE parcel (id bigint PRIMARY KEY, status varchar(20) NOT NULL, version bigint NOT NULL)";

    private StartupBenchmark() {}

    enum Application {
        DATA_SOURCE("A data source, without JPA", "StartupApplication", "StartupApplication"),
        JPA(
                "JPA with one entity (with the starter, there are also a step and its janitor)",
                "JpaStartupApplication",
                "WorkflowStartupApplication");

        private final String description;
        private final String without;
        private final String with;

        Application(String description, String without, String with) {
            this.description = description;
            this.without = without;
            this.with = with;
        }

        String className(Variant variant) {
            return "io.sagaspring.benchmarks.startup." + (variant == Variant.WITHOUT ? without : with);
        }
    }

    enum Variant {
        WITHOUT("without the starter"),
        FIRST_START("with the starter, first start (creates the tables)"),
        LATER_START("with the starter, every later start");

        private final String description;

        Variant(String description) {
            this.description = description;
        }
    }

    /**
     * One start: the milliseconds until the application was ready, and the bytes of heap after a garbage collection.
     */
    record Start(long millis, long heap) {}

    public static void main(String[] args) throws IOException {
        int rounds = Rounds.givenOr(10);
        System.out.printf("Medians of %d starts each.%n", rounds);
        // Run one additional round that is not counted, to fill the caches of the file system.
        measure(1, EnumSet.allOf(Variant.class));
        measure(rounds, EnumSet.allOf(Variant.class)).forEach(StartupBenchmark::print);
    }

    static Map<Application, Map<Variant, List<Start>>> measure(int rounds, Set<Variant> variants) throws IOException {
        Map<Application, Map<Variant, List<Start>>> starts = new EnumMap<>(Application.class);
        for (int round = 0; round < rounds; round++) {
            for (Application application : Application.values()) {
                Map<Variant, List<Start>> all =
                        starts.computeIfAbsent(application, any -> new EnumMap<>(Variant.class));
                round(application, variants)
                        .forEach((variant, start) -> all.computeIfAbsent(variant, any -> new ArrayList<>())
                                .add(start));
            }
        }
        return starts;
    }

    private static Map<Variant, Start> round(Application application, Set<Variant> variants) throws IOException {
        Map<Variant, Start> starts = new EnumMap<>(Variant.class);
        try (TestDatabase database = TestDatabase.create()) {
            JdbcClient.create(database.dataSource()).sql(PARCELS).update();
            for (Variant variant : variants) {
                starts.put(variant, start(application, variant, database));
                requireTables(variant != Variant.WITHOUT, database);
            }
        }
        return starts;
    }

    private static void print(Application application, Map<Variant, List<Start>> starts) {
        System.out.printf("%n%s:%n%n", application.description);
        long baseMillis = median(starts, Variant.WITHOUT, Start::millis);
        long baseHeap = median(starts, Variant.WITHOUT, Start::heap);
        System.out.println("| application | ready after | slower by | heap after garbage collection | extra heap |");
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

    private static Start start(Application application, Variant variant, TestDatabase database) throws IOException {
        Process process = ChildJvm.start(
                classPath(application, variant),
                application.className(variant),
                List.of(
                        "--spring.datasource.url=" + database.getJdbcUrl(),
                        "--spring.datasource.username=" + database.getUsername(),
                        "--spring.datasource.password=" + database.getPassword(),
                        "--spring.main.banner-mode=off"));
        StringBuilder output = new StringBuilder();
        try (BufferedReader reader = process.inputReader()) {
            reader.lines().forEach(line -> output.append(line).append('\n'));
        }
        Matcher ready = READY.matcher(output);
        if (!ready.find()) {
            throw new IllegalStateException(
                    "Application %s did not start (%s):%n%s".formatted(application, variant, output));
        }
        return new Start(Long.parseLong(ready.group(1)), Long.parseLong(ready.group(2)));
    }

    /** Verifies that the intended variant of the application was started. Otherwise the figures would mean nothing. */
    private static void requireTables(boolean expected, TestDatabase database) {
        boolean found = JdbcClient.create(database.dataSource())
                .sql("SELECT to_regclass('saga_schema_version') IS NOT NULL")
                .query(Boolean.class)
                .single();
        if (found != expected) {
            throw new IllegalStateException(
                    found
                            ? "Saga's tables exist, although the application was started without the starter."
                            : "Saga's tables are missing, although the application was started with the starter.");
        }
    }

    /**
     * Returns the class path without the libraries that the variant does not need: the starter, or JPA. The libraries
     * that are compared only in other benchmarks are always removed.
     */
    private static String classPath(Application application, Variant variant) {
        Predicate<String> starter = entry -> STARTER.matcher(entry).find();
        Predicate<String> jpa = entry -> JPA.matcher(fileName(entry)).find();
        Predicate<String> peers = entry -> PEERS.matcher(fileName(entry)).find();
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(peers.negate())
                .filter(application == Application.JPA ? any -> true : jpa.negate())
                .filter(variant == Variant.WITHOUT ? starter.negate() : any -> true)
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * Returns the last part of an entry of the class path. For a library, this part is the name of a file. For a module
     * of this build, it is the name of a directory, such as {@code classes}.
     */
    private static String fileName(String entry) {
        return Path.of(entry).getFileName().toString();
    }
}
