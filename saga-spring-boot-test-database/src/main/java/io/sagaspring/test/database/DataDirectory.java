package io.sagaspring.test.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.FileSystemUtils;

/**
 * Chooses the data directory of an embedded server. A test class creates and drops a database of about 300 files. In
 * memory, this takes about 30 ms. On ext4 it can take ten times as long: for each new file, ext4 searches for an inode
 * that has not been freed within the last seconds.
 */
final class DataDirectory {

    private static final Logger logger = LoggerFactory.getLogger(DataDirectory.class);

    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long ENOUGH_BYTES = 4L << 30;

    /**
     * Zonky, the library that runs the embedded server, writes this file after {@code initdb}, and keeps it locked as
     * long as the JVM lives.
     */
    private static final String LOCK = "epg-lock";

    /** The maximum time that a starting server may take to acquire its lock. */
    private static final Duration TO_START = Duration.ofMinutes(10);

    private DataDirectory() {}

    /**
     * Returns a directory that does not exist yet: in memory if there is enough space, otherwise in the directory for
     * temporary files.
     */
    static Path next() {
        return next(MEMORY, ENOUGH_BYTES);
    }

    static Path next(Path memory, long enoughBytes) {
        String name = UUID.randomUUID().toString();
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg");
        Path inMemory = memory.resolve("embedded-pg-data-" + System.getProperty("user.name"));
        if (!hasRoom(memory, enoughBytes)) {
            // Nothing to remove: Zonky itself removes the directories of killed JVMs from this directory.
            return temporary.resolve(name);
        }
        removeLeftovers(inMemory, Instant.now());
        return inMemory.resolve(name);
    }

    private static boolean hasRoom(Path memory, long enoughBytes) {
        try {
            return Files.isWritable(memory) && Files.getFileStore(memory).getUsableSpace() >= enoughBytes;
        } catch (IOException failed) {
            return false;
        }
    }

    /**
     * Removes the directories of JVMs that were killed. Their servers notice within a minute that their files have
     * gone, and stop.
     */
    static void removeLeftovers(Path parent, Instant now) {
        if (!Files.isDirectory(parent)) {
            return;
        }
        for (Path directory : directoriesIn(parent)) {
            try {
                if (isLeftOver(directory, now)) {
                    logger.info("Removing {}, which a killed JVM has left behind", directory);
                    FileSystemUtils.deleteRecursively(directory);
                }
            } catch (IOException failed) {
                logger.warn("Could not remove {}. Remove it by hand when no tests are running.", directory, failed);
            }
        }
    }

    private static List<Path> directoriesIn(Path parent) {
        try (Stream<Path> entries = Files.list(parent)) {
            return entries.filter(Files::isDirectory).toList();
        } catch (IOException | UncheckedIOException failed) {
            logger.warn("Could not search {} for directories of killed JVMs", parent, failed);
            return List.of();
        }
    }

    private static boolean isLeftOver(Path directory, Instant now) throws IOException {
        Path lock = directory.resolve(LOCK);
        Path youngest = Files.exists(lock) ? lock : directory;
        if (Files.getLastModifiedTime(youngest).toInstant().isAfter(now.minus(TO_START))) {
            return false;
        }
        return youngest == directory || !isHeld(lock);
    }

    private static boolean isHeld(Path lock) throws IOException {
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE);
                @Nullable FileLock mine = channel.tryLock()) {
            return mine == null;
        } catch (OverlappingFileLockException heldByThisJvm) {
            return true;
        }
    }
}
