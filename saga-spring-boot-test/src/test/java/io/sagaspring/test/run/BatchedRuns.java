package io.sagaspring.test.run;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.ControlState;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A fixture for tests of runs that are written in one batch. Each test begins with a database that contains no runs.
 */
abstract class BatchedRuns {

    static final Duration HOUR = Duration.ofHours(1);

    /** All test classes of this JVM share this database. It is removed with its server. */
    static final RunDatabase database = new RunDatabase();

    static final RunStore single = database.store(database.pool(), "one", Commits.SEPARATE);

    Gathering gathering;
    RunStore shared;

    @BeforeEach
    void gather() throws Exception {
        database.empty();
        gathering = new Gathering(database, database.pool(), "one");
        shared = gathering.store();
    }

    @AfterEach
    void closeGathering() {
        gathering.close();
    }

    static NewRun newRun(@Nullable Duration deadline, boolean here) {
        return new NewRun(
                RunId.next(), "batch", null, null, RunStoreContract.INPUT, RunStoreContract.CARRIED, deadline, here);
    }

    static RunLease runLease() {
        return RunStoreContract.granted(single.start(newRun(null, true)));
    }

    static ControlState afterSignals(int signals) {
        return RunStoreContract.afterSignals(signals);
    }

    static List<JournalEntry> done(int from, int to) {
        return RunStoreContract.done(from, to);
    }

    static <T> T answer(CompletableFuture<T> call) throws Exception {
        return call.get(60, SECONDS);
    }

    void assertWereOneBatch() {
        assertThat(gathering.batches()).hasSize(1);
    }
}
