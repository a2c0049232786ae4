package io.sagaspring.test.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTests {

    private static final Duration LONG = Duration.ofHours(1);

    private @TempDir Path memory = Path.of("");

    @Test
    void theDirectoryIsInMemoryIfMemoryHasEnoughSpace() {
        Path directory = DataDirectory.next(memory, 1);

        assertThat(directory).startsWithRaw(memory).doesNotExist();
        assertThat(DataDirectory.next(memory, 1)).isNotEqualTo(directory);
    }

    @Test
    void theDirectoryIsAmongTemporaryFilesIfMemoryIsTooSmallOrMissing() {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg");

        assertThat(DataDirectory.next(memory, Long.MAX_VALUE).getParent()).isEqualTo(temporary);
        assertThat(DataDirectory.next(memory.resolve("missing"), 1).getParent()).isEqualTo(temporary);
    }

    @Test
    void aDirectoryWithAFreeLockIsRemovedWithAllFiles() throws IOException {
        Path killed = directory("killed");
        Files.createFile(killed.resolve("epg-lock"));
        Files.createFile(Files.createDirectory(killed.resolve("base")).resolve("1"));

        DataDirectory.removeLeftovers(memory, Instant.now().plus(LONG));

        assertThat(killed).doesNotExist();
    }

    @Test
    void aDirectoryWithAHeldLockIsNotRemoved() throws IOException {
        Path running = directory("running");
        Path lock = Files.createFile(running.resolve("epg-lock"));

        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE);
                FileLock held = channel.lock()) {
            assertThat(held.isValid()).isTrue();
            DataDirectory.removeLeftovers(memory, Instant.now().plus(LONG));
        }

        assertThat(running).exists();
    }

    @Test
    void aRecentDirectoryWithoutAHeldLockIsNotRemoved() throws IOException {
        Path withoutLock = directory("initdb");
        Path withLock = directory("starting");
        Files.createFile(withLock.resolve("epg-lock"));

        DataDirectory.removeLeftovers(memory, Instant.now());
        assertThat(withoutLock).exists();
        assertThat(withLock).exists();

        DataDirectory.removeLeftovers(memory, Instant.now().plus(LONG));
        assertThat(withoutLock).doesNotExist();
        assertThat(withLock).doesNotExist();
    }

    private Path directory(String name) throws IOException {
        return Files.createDirectory(memory.resolve(name));
    }
}
