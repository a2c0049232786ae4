package io.sagaspring.quiet;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Replaces {@link System#out} and {@link System#err} until the JVM ends, because threads may print after their test
 * class has ended. Writes to the file of the test class that began last.
 */
final class TestOutput extends OutputStream {

    /** The largest number of bytes that are shown at once. Of a longer output, only the end is shown. */
    private static final long SHOWN = 500_000;

    private final PrintStream console;
    private final PrintStream stream = new PrintStream(this, true, StandardCharsets.UTF_8);
    private @Nullable Path path;
    private OutputStream file = OutputStream.nullOutputStream();
    private long alreadyShown;

    private TestOutput(PrintStream console) {
        this.console = console;
    }

    static TestOutput instead() {
        TestOutput output = new TestOutput(System.out);
        System.setOut(output.stream);
        System.setErr(output.stream);
        return output;
    }

    synchronized void begin(Path next) {
        try {
            file.close();
            Files.createDirectories(next.toAbsolutePath().getParent());
            file = Files.newOutputStream(next);
            path = next;
            alreadyShown = 0;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Shows the output of the current test class on the console, except for parts already shown. */
    synchronized void show(String title) {
        if (path == null) {
            return;
        }
        try (InputStream written = Files.newInputStream(path)) {
            long size = Files.size(path);
            written.skipNBytes(Math.max(alreadyShown, size - SHOWN));
            console.printf(
                    "---- %s (%s)%n%s----%n", title, path, new String(written.readAllBytes(), StandardCharsets.UTF_8));
            alreadyShown = size;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) throws IOException {
        file.write(bytes, from, length);
    }

    @Override
    public synchronized void write(int one) throws IOException {
        file.write(one);
    }
}
