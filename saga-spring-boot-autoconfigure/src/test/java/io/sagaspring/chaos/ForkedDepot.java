package io.sagaspring.chaos;

import io.sagaspring.chaos.Journal.What;
import io.sagaspring.test.database.TestDatabase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Controls a {@link DepotProcess}, and records its death in the journal. */
final class ForkedDepot implements AutoCloseable {

    private final String name;
    private final ForkedProcess process;
    private final Journal journal;

    private ForkedDepot(String name, ForkedProcess process, Journal journal) {
        this.name = name;
        this.process = process;
        this.journal = journal;
    }

    /** Starts a process without waiting for it. Call {@link #ready} to wait. */
    static ForkedDepot start(TestDatabase database, Journal journal, String name, String... properties) {
        List<String> command = new ArrayList<>(ForkedJvm.command(DepotProcess.class));
        Map<String, String> settings = Depot.settings(database, journal.file(), name);
        settings.forEach((key, value) -> command.add(key + "=" + value));
        command.addAll(List.of(properties));
        ForkedProcess process =
                ForkedProcess.start(name, journal.file().resolveSibling(name + ".log"), command, Map.of());
        return new ForkedDepot(name, process, journal);
    }

    ForkedDepot ready() throws InterruptedException {
        await("READY");
        return this;
    }

    String name() {
        return name;
    }

    void send(String command) {
        process.send(command);
    }

    String await(String beginning) throws InterruptedException {
        return process.await(beginning);
    }

    int awaitEnd() throws InterruptedException {
        int exit = process.awaitEnd();
        journal.write(What.DEAD, name, 0, "");
        return exit;
    }

    void kill() {
        process.kill();
        journal.write(What.DEAD, name, 0, "");
    }

    void freeze() throws IOException, InterruptedException {
        process.freeze();
    }

    void thaw() throws IOException, InterruptedException {
        process.thaw();
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            kill();
        }
    }
}
