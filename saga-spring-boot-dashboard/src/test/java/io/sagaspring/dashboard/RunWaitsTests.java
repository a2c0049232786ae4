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
import org.springframework.jdbc.core.simple.JdbcClient;
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

    @Test
    void aRunIsNotExecutedByANodeWhoseLeaseHasEnded() {
        RunId id = app.bean(Runs.class).start(DashboardApp.Charge.class, "card").id();
        execute(id, "1 hour");
        assertThat(waiting(id).get("code").asString()).isEqualTo("node");
        assertThat(waiting(id).get("who").asString()).isEqualTo("node-7");

        execute(id, "-1 minute");

        assertThat(waiting(id).get("code").asString()).isEqualTo("lapsed");
        assertThat(waiting(id).get("who").asString()).isEqualTo("node-7");
        assertThat(waiting(id).get("until").asString()).matches("\\d{4}-.*Z");
        assertThat(app.bean(PauseOperations.class)
                        .pauseKind("charge", "the bank is closed", Operator.named("ada"))
                        .wasDone())
                .isTrue();
        assertThat(waiting(id).get("code").asString()).isEqualTo("paused");
        assertThat(app.bean(PauseOperations.class)
                        .resumeKind("charge", Operator.named("ada"))
                        .wasDone())
                .isTrue();
    }

    /** Changes a run as if another node executed it, whose lease ends after this time. */
    private static void execute(RunId id, String lease) {
        assertThat(JdbcClient.create(database.dataSource())
                        .sql(
                                "UPDATE saga_run SET state = 'running', node = 'node-7', token = 1, due_at = now() + ?::interval WHERE id = ?")
                        .params(lease, id.value())
                        .update())
                .isOne();
    }
}
