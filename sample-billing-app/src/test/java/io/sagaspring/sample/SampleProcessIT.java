package io.sagaspring.sample;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.sample.SampleProcesses.Sample;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts and stops the jar as a newcomer does, with nothing but a JDK. */
class SampleProcessIT {

    /** The directory of the sample's embedded servers. */
    private final Path temporary;

    private final SampleProcesses processes;

    SampleProcessIT(@TempDir Path temporary) {
        this.temporary = temporary;
        this.processes = new SampleProcesses(temporary);
    }

    @AfterEach
    void endProcesses() {
        processes.close();
        databases().forEach(Database::end);
    }

    @Test
    void aStoppedSampleLeavesNoServerAndNoData() throws Exception {
        Sample sample = processes.start();
        Database database = databases().get(0);

        sample.process().destroy();

        assertThat(sample.process().waitFor(30, SECONDS)).isTrue();
        await().atMost(30, SECONDS).until(() -> !database.isAlive());
        assertThat(databases()).isEmpty();
    }

    @Test
    @Tag("chaos")
    void afterAKillTheNextStartRemovesServerAndData() throws Exception {
        Sample sample = processes.start();
        Database leftBehind = databases().get(0);
        sample.kill();
        assertThat(leftBehind.isAlive()).isTrue();

        processes.start();

        await().atMost(30, SECONDS).until(() -> !leftBehind.isAlive());
        assertThat(databases()).hasSize(1).doesNotContain(leftBehind);
    }

    @Test
    @Tag("chaos")
    void aSecondSampleDoesNotTouchTheDatabaseOfTheFirstSample() throws Exception {
        processes.start();
        Database first = databases().get(0);

        processes.start();

        assertThat(databases()).hasSize(2).contains(first).allMatch(Database::isAlive);
    }

    private List<Database> databases() {
        Path homes = temporary.resolve("sample-billing-app");
        List<Database> found = new ArrayList<>();
        if (Files.exists(homes)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(homes, Files::isDirectory)) {
                for (Path home : all) {
                    found.add(Database.in(home));
                }
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
        return found;
    }

    /** A server process, identified by the pid that PostgreSQL itself writes to its data directory. */
    record Database(Path home, long pid) {

        static Database in(Path home) throws IOException {
            List<String> lines = Files.readAllLines(home.resolve("data").resolve("postmaster.pid"));
            return new Database(home, Long.parseLong(lines.get(0).trim()));
        }

        boolean isAlive() {
            return ProcessHandle.of(pid).isPresent();
        }

        void end() {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }
}
