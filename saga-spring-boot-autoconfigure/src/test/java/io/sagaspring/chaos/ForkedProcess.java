package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;

/** A process that reads commands and reports what it did, one per line. It can be frozen and killed. */
public final class ForkedProcess implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 300;

    private final String name;
    private final Process process;
    private final Path errors;
    private final PrintStream commands;
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

    private ForkedProcess(String name, Process process, Path errors) {
        this.name = name;
        this.process = process;
        this.errors = errors;
        this.commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        Thread listener = new Thread(this::listen, "listens to " + name);
        listener.setDaemon(true);
        listener.start();
    }

    /** Starts a process without waiting for it. It reports when it is ready. */
    public static ForkedProcess start(String name, Path errors, List<String> command, Map<String, String> environment) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
            builder.environment().putAll(environment);
            return new ForkedProcess(name, builder.start(), errors);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    public void send(String command) {
        commands.println(command);
    }

    /** Waits for a line that begins with the given text, and returns the rest of the line. */
    public String await(String beginning) throws InterruptedException {
        while (true) {
            String line = received.poll(PATIENCE_SECONDS, SECONDS);
            if (line == null || line.equals("EOF")) {
                throw new IllegalStateException(
                        "%s never reported '%s'. Its log:%n%s".formatted(name, beginning, read(errors)));
            }
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length()).strip();
            }
        }
    }

    /**
     * Waits for the end of the process, and returns the remaining lines that begin with the given text, without this
     * text.
     */
    List<String> rest(String beginning) throws InterruptedException {
        List<String> rest = new ArrayList<>();
        for (String line = received.take(); !line.equals("EOF"); line = received.take()) {
            if (line.startsWith(beginning)) {
                rest.add(line.substring(beginning.length()).strip());
            }
        }
        return rest;
    }

    /** Waits until the process has ended on its own, and returns its exit code. */
    int awaitEnd() throws InterruptedException {
        if (!process.waitFor(PATIENCE_SECONDS, SECONDS)) {
            throw new IllegalStateException("%s has not ended. Its log:%n%s".formatted(name, read(errors)));
        }
        return process.exitValue();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    public void kill() {
        // Process.destroyForcibly would also close the pipes.
        process.toHandle().destroyForcibly();
        process.onExit().join();
    }

    void freeze() throws IOException, InterruptedException {
        signal("-STOP");
    }

    void thaw() throws IOException, InterruptedException {
        signal("-CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("kill", signal, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IOException("kill %s %d: %d".formatted(signal, process.pid(), exit));
        }
    }

    private void listen() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            lines.lines().forEach(received::add);
        } catch (IOException | UncheckedIOException ended) {
            received.add("EOF");
            return;
        }
        received.add("EOF");
    }

    private static String read(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return String.join("\n", lines.toList());
        } catch (IOException failed) {
            return failed.toString();
        }
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            kill();
        }
    }
}
