package io.sagaspring.sample;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.FileSystemUtils;

/**
 * Stops the database servers that killed applications have left behind, and removes their data. A running application
 * holds a lock on a file next to its server's data. The operating system always releases the lock when the application
 * ends. If the lock is free, the application is no longer running.
 */
final class LeftBehind {

    private static final Logger logger = LoggerFactory.getLogger(LeftBehind.class);

    private LeftBehind() {}

    /**
     * A directory for one server's data. The directory has an owner until the channel {@code owner} is closed or this
     * process ends.
     */
    record Home(Path path, FileChannel owner) {

        Path data() {
            return path.resolve("data");
        }

        void remove() throws IOException {
            owner.close();
            FileSystemUtils.deleteRecursively(path);
        }
    }

    /**
     * Removes the directories without an owner, and creates a new one. Only one process at a time does this. Otherwise
     * a process could remove a directory that another one is creating.
     */
    static Home newHome(Path homes) throws IOException {
        Files.createDirectories(homes);
        try (FileChannel turn = FileChannel.open(
                        homes.resolve("turn.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock mine = turn.lock()) {
            logger.debug("Looking for databases of applications that were killed, under the lock {}", mine);
            clear(homes);
            Path home = Files.createDirectory(homes.resolve(UUID.randomUUID().toString()));
            FileChannel owner = FileChannel.open(
                    home.resolve("owner.lock"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            owner.lock();
            return new Home(home, owner);
        }
    }

    private static void clear(Path homes) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(homes, Files::isDirectory)) {
            for (Path home : all) {
                if (isOwnerless(home)) {
                    stopServer(home.resolve("data").resolve("postmaster.pid"));
                    FileSystemUtils.deleteRecursively(home);
                    logger.info("Removed the database of an application that was killed: {}", home);
                }
            }
        }
    }

    private static boolean isOwnerless(Path home) throws IOException {
        try (FileChannel channel = FileChannel.open(home.resolve("owner.lock"), StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            return lock != null;
        } catch (OverlappingFileLockException ownedByThisProcess) {
            return false;
        } catch (NoSuchFileException killedBeforeItOwned) {
            return true;
        }
    }

    private static void stopServer(Path pidFile) throws IOException {
        List<String> lines = Files.exists(pidFile) ? Files.readAllLines(pidFile) : List.of();
        // If the file has fewer lines, PostgreSQL was also killed, while it was writing the file.
        if (lines.size() > 2) {
            long pid = Long.parseLong(lines.get(0).trim());
            Instant start = Instant.ofEpochSecond(Long.parseLong(lines.get(2).trim()));
            ProcessHandle.of(pid)
                    .filter(process -> isThatServer(process, start))
                    .ifPresent(LeftBehind::stop);
        }
    }

    /**
     * Returns true if the process has the same start time as the server. If the server has ended, another process may
     * have its pid now, even another PostgreSQL.
     */
    private static boolean isThatServer(ProcessHandle process, Instant start) {
        return process.info()
                .startInstant()
                .filter(actual -> Duration.between(actual, start).abs().compareTo(Duration.ofSeconds(10)) < 0)
                .isPresent();
    }

    private static void stop(ProcessHandle server) {
        server.destroy();
        try {
            server.onExit().orTimeout(10, TimeUnit.SECONDS).join();
        } catch (CompletionException stillHeld) {
            server.destroyForcibly();
        }
    }
}
