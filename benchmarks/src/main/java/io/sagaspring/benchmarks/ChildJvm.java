package io.sagaspring.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a class in another JVM. */
final class ChildJvm {

    private ChildJvm() {}

    /**
     * Starts a JVM with the {@code -XX} flags of the current JVM. In tests, the build sets flags that suit short-lived
     * JVMs, and the child JVM gets them, too. Measurements run without such flags.
     */
    static Process start(String classPath, String mainClass, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-XX:"))
                .forEach(command::add);
        command.addAll(List.of("-classpath", classPath, mainClass));
        command.addAll(arguments);
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }
}
