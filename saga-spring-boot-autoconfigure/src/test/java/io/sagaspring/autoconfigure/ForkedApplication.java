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
 * An application in a JVM of its own whose class path lacks some jars. Filtering a class loader would not do: classes of
 * ours would still be linked against what they must be able to do without.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ForkedApplication {

    record Outcome(int exitCode, String output) {}

    public static void main(String[] args) {
        try (var context = SpringApplication.run(ForkedApplication.class, args)) {
            System.out.println("started with " + context.getBean(SagaSchema.class));
        }
    }

    /** Starts and ends the application on this test's class path, less the jars whose name contains the pattern. */
    static Outcome startWithout(Pattern jars, TestDatabase database, String... properties)
            throws IOException, InterruptedException {
        return startWithout(jars, ForkedApplication.class, database, properties);
    }

    static Outcome startWithout(Pattern jars, Class<?> application, TestDatabase database, String... properties)
            throws IOException, InterruptedException {
        String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !jars.matcher(String.valueOf(Path.of(entry).getFileName()))
                        .find())
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                // It ends before what the second compiler brings would pay.
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-classpath",
                                classPath,
                                application.getName(),
                                "--spring.datasource.url=" + database.getJdbcUrl(),
                                "--spring.datasource.username=" + database.getUsername(),
                                "--spring.datasource.password=" + database.getPassword(),
                                "--spring.flyway.enabled=false",
                                "--spring.liquibase.enabled=false",
                                "--server.port=0"),
                        Stream.of(properties).map("--"::concat))
                .toList();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader reader = process.inputReader()) {
            String output = reader.lines().collect(Collectors.joining("\n"));
            return new Outcome(process.waitFor(), output);
        }
    }
}
