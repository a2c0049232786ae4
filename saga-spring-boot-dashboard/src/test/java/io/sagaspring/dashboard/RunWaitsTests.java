package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.operations.Operator;
import io.sagaspring.operations.PauseOperations;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.Runs;
import io.sagaspring.test.database.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What the page says about runs that no node has begun. This node executes no runs. */
class RunWaitsTests {

    private static TestDatabase database;
    private static DashboardApp app;

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        app = DashboardApp.withoutSecurity(database, "saga.runs.concurrency=0", "saga.runs.queue-concurrency=0");
    }

    @AfterAll
    static void close() {
        app.close();
        database.close();
    }

    private static JsonNode waiting(RunId id) {
        return app.read("/saga/api/run?id=" + id).get("waiting");
    }

    @Test
    void aRunWaitsForANodeInItsQueueOrUntilItsKindIsResumed() {
        Runs runs = app.bean(Runs.class);
        RunId free = runs.start(DashboardApp.Charge.class, "card").id();
        RunId queued = runs.start(
                        DashboardApp.Charge.class, "card", RunOptions.none().in("psp"))
                .id();

        assertThat(waiting(free).get("code").asString()).isEqualTo("node");
        assertThat(waiting(queued).get("code").asString()).isEqualTo("queue");
        assertThat(waiting(queued).get("what").asString()).isEqualTo("psp");

        assertThat(app.bean(PauseOperations.class)
                        .pauseKind("charge", "the bank is closed", Operator.named("ada"))
                        .wasDone())
                .isTrue();
        for (RunId each : new RunId[] {free, queued}) {
            assertThat(waiting(each).get("code").asString()).isEqualTo("paused");
            assertThat(waiting(each).get("what").asString()).isEqualTo("the bank is closed");
            assertThat(waiting(each).get("who").asString()).isEqualTo("'ada'");
        }

        assertThat(app.bean(PauseOperations.class)
                        .resumeKind("charge", Operator.named("ada"))
                        .wasDone())
                .isTrue();
        assertThat(waiting(free).get("code").asString()).isEqualTo("node");
    }
}
