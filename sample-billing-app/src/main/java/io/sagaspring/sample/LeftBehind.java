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
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.FileSystemUtils;

/**
 * Servers whose application was killed. An application locks a file beside its server's data for as long as it lives;
 * the operating system gives the lock back however it dies, so a lock that can be had means that nobody is left.
 */
final class LeftBehind {

    private static final Logger logger = LoggerFactory.getLogger(LeftBehind.class);

    private LeftBehind() {}

    static Path data(Path home) {
        return home.resolve("data");
    }

    /** Locks a home until the channel is closed or this process ends. */
    static FileChannel own(Path home) throws IOException {
        FileChannel channel =
                FileChannel.open(home.resolve("owner.lock"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        channel.lock();
        return channel;
    }

    static void clear(Path homes) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(homes)) {
            for (Path home : all) {
                if (isOwnerless(home)) {
                    stopServer(home);
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
        } catch (NoSuchFileException justBeingMade) {
            return false;
        }
    }

    private static void stopServer(Path home) throws IOException {
        Path pidFile = data(home).resolve("postmaster.pid");
        if (Files.exists(pidFile)) {
            long pid = Long.parseLong(Files.readAllLines(pidFile).get(0).trim());
            ProcessHandle.of(pid).filter(LeftBehind::isPostgres).ifPresent(LeftBehind::stop);
        }
    }

    /** A pid may long belong to somebody else. */
    private static boolean isPostgres(ProcessHandle process) {
        return process.info()
                .command()
                .filter(command -> command.contains("postgres"))
                .isPresent();
    }

    private static void stop(ProcessHandle server) {
        server.destroy();
        try {
            server.onExit().orTimeout(10, TimeUnit.SECONDS).join();
        } catch (CompletionException stillThere) {
            server.destroyForcibly();
        }
    }
}
