package io.sagaspring.chaos;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What happened, in the order in which it happened, across all processes: a file to which each appends whole lines. It
 * needs no clock, no database and no engine, and survives whoever writes it.
 */
final class Journal implements AutoCloseable {

    enum What {
        /** A body begins. */
        START,
        /** A body is over, whatever became of it. */
        END,
        /** A caller was told of success. */
        DONE,
        /** An after-effect was delivered. */
        ARRIVED,
        /** A process is no more, and its bodies are over. */
        DEAD
    }

    /**
     * @param what what happened
     * @param node where
     * @param crate to which crate, or 0
     * @param key the claim's token, or the after-effect's key
     */
    record Entry(What what, String node, long crate, String key) {}

    private final Path file;
    private final FileOutputStream out;

    private Journal(Path file) throws IOException {
        this.file = file;
        // Not a channel: that would be closed by the first interrupt of a body.
        this.out = new FileOutputStream(file.toFile(), true);
    }

    /** An empty one, in a directory of its own where nodes may leave their logs. */
    static Journal create() {
        try {
            return new Journal(Files.createTempDirectory("chaos").resolve("journal"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** The same one, as another process sees it. */
    static Journal open(String file) throws IOException {
        return new Journal(Path.of(file));
    }

    Path file() {
        return file;
    }

    void write(What what, String node, long crate, String key) {
        try {
            // One write of one line: the system appends it as a whole, behind whatever others have written.
            out.write("%s\t%s\t%s\t%s\n".formatted(what, node, crate, key).getBytes(StandardCharsets.UTF_8));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    List<Entry> entries() {
        try {
            return Files.readAllLines(file).stream().map(Journal::entry).toList();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static Entry entry(String line) {
        String[] parts = line.split("\t", -1);
        return new Entry(What.valueOf(parts[0]), parts[1], Long.parseLong(parts[2]), parts[3]);
    }

    /** Also removes it, with everything beside it. */
    void delete() {
        try (Stream<Path> files = Files.list(file.resolveSibling(""))) {
            close();
            for (Path each : files.toList()) {
                Files.delete(each);
            }
            Files.delete(file.resolveSibling(""));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
