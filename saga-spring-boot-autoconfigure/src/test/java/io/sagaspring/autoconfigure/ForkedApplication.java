package io.sagaspring.autoconfigure;

import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.TestDatabase;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/**
 * An application in its own JVM whose class path lacks some jars. Filtering a class loader is not enough, because our
 * classes would still be linked against the missing classes.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ForkedApplication {

    /** Separates the arguments of two starts, and the outputs of two starts. */
    private static final String NEXT = "--next";

    record Outcome(int exitCode, String output) {}

    /** Starts the application once for each group of arguments, one after the other. */
    public static void main(String[] args) {
        boolean refused = false;
        for (String start : String.join("\n", args).split(NEXT, -1)) {
            try (var context =
                    SpringApplication.run(ForkedApplication.class, start.strip().split("\n"))) {
                System.out.println("started with " + context.getBean(SagaSchema.class));
            } catch (RuntimeException expected) {
                // Spring Boot has already printed the reason.
                refused = true;
            }
            System.out.println(NEXT);
        }
        System.exit(refused ? 1 : 0);
    }

    /** Starts and ends the application on this test's class path without the jars whose name contains the pattern. */
    static Outcome startWithout(Pattern jars, TestDatabase database) throws IOException, InterruptedException {
        return startWithout(jars, ForkedApplication.class, arguments(database));
    }

    static Outcome startWithout(Pattern jars, Class<?> application, TestDatabase database)
            throws IOException, InterruptedException {
        return startWithout(jars, application, arguments(database));
    }

    /** Starts the application several times in one JVM, and returns the output of each start. */
    static List<String> startsWithout(Pattern jars, List<List<String>> starts)
            throws IOException, InterruptedException {
        List<String> arguments = starts.stream()
                .flatMap(start -> Stream.concat(Stream.of(NEXT), start.stream()))
                .skip(1)
                .toList();
        return List.of(
                startWithout(jars, ForkedApplication.class, arguments).output().split(NEXT, starts.size()));
    }

    static List<String> arguments(TestDatabase database, String... properties) {
        return Stream.concat(
                        Stream.of(
                                "--spring.datasource.url=" + database.getJdbcUrl(),
                                "--spring.datasource.username=" + database.getUsername(),
                                "--spring.datasource.password=" + database.getPassword(),
                                "--spring.flyway.enabled=false",
                                "--spring.liquibase.enabled=false",
                                "--server.port=0"),
                        Stream.of(properties).map("--"::concat))
                .toList();
    }

    private static Outcome startWithout(Pattern jars, Class<?> application, List<String> arguments)
            throws IOException, InterruptedException {
        String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !jars.matcher(String.valueOf(Path.of(entry).getFileName()))
                        .find())
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                // The process ends too soon to profit from the second compiler.
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-classpath",
                                classPath,
                                application.getName()),
                        arguments.stream())
                .toList();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader reader = process.inputReader()) {
            String output = reader.lines().collect(Collectors.joining("\n"));
            return new Outcome(process.waitFor(), output);
        }
    }
}
