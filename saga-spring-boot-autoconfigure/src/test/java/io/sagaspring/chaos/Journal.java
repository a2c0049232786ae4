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
 * Records the events of all processes, in order, in a file to which each process appends whole lines. The journal
 * needs no clock, no database and no engine. It still exists when its writers have died.
 */
final class Journal implements AutoCloseable {

    enum What {
        /** An action begins. */
        START,
        /** An action has ended, whatever its outcome. */
        END,
        /** A caller has received a success. */
        DONE,
        /** An after-effect was delivered. */
        ARRIVED,
        /** A process has died, and its actions with it. */
        DEAD
    }

    /**
     * @param what the kind of the event
     * @param node the name of the node
     * @param crate the crate's id, or 0
     * @param key the claim's token, or the after-effect's key
     */
    record Entry(What what, String node, long crate, String key) {}

    private final Path file;
    private final FileOutputStream out;

    private Journal(Path file) throws IOException {
        this.file = file;
        // Do not use a channel here, because the first interrupt of an action would close it.
        this.out = new FileOutputStream(file.toFile(), true);
    }

    /** Creates an empty journal in a new directory. Nodes may write their logs to the same directory. */
    static Journal create() {
        try {
            return new Journal(Files.createTempDirectory("chaos").resolve("journal"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Opens a journal that another process has created. */
    static Journal open(String file) throws IOException {
        return new Journal(Path.of(file));
    }

    Path file() {
        return file;
    }

    void write(What what, String node, long crate, String key) {
        try {
            // The line is a single write, so the system appends it as a whole.
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

    /** Closes the journal, and deletes its directory with the logs in it. */
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
