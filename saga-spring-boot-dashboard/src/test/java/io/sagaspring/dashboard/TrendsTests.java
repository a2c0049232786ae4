package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.RunId;
import io.sagaspring.run.Runs;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The numbers of the last hour and day. The time of the counts is a value of each test. */
class TrendsTests {

    private static final Instant NOON = Instant.parse("2026-11-26T12:00:00Z");

    private static TestDatabase database;
    private static DashboardApp app;

    private Instant now = NOON.plusSeconds(10);
    private final BacklogHistory backlog = new BacklogHistory(sources(), () -> now);

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        app = DashboardApp.withoutSecurity(database, "saga.runs.concurrency=0", "saga.runs.retention=36500d");
    }

    @AfterAll
    static void close() {
        app.close();
        database.close();
    }

    @BeforeEach
    void empty() {
        app.sql().sql("TRUNCATE saga_run, saga_step").update();
    }

    private static DashboardSources sources() {
        return app.sources();
    }

    private Trends trends(int most) {
        EndedRuns runs = new EndedRuns(sources(), new OwnTransactions(app.bean(DataSource.class)), most);
        return new Trends(sources(), runs, backlog, Duration.ofSeconds(10), () -> now);
    }

    private static void end(String state, Instant at) {
        RunId id = app.bean(Runs.class).start(DashboardApp.Charge.class, "card").id();
        app.sql()
                .sql("UPDATE saga_run SET state = ?, due_at = NULL, ended_at = ? WHERE id = ?")
                .param(state)
                .param(at.atOffset(ZoneOffset.UTC))
                .param(id.value())
                .update();
    }

    private static long sum(List<Long> numbers) {
        return numbers.stream().mapToLong(Long::longValue).sum();
    }

    @Test
    void eachRunCountsInTheIntervalOfItsEnd() {
        end("completed", NOON.minusSeconds(1));
        end("failed", NOON.minusSeconds(60));
        end("failed", NOON.minusSeconds(61));
        end("completed", NOON);
        end("cancelled", NOON.minus(Duration.ofHours(2)));
        end("completed", NOON.minus(Duration.ofHours(25)));

        Trends.Sample found = trends(100).read();

        assertThat(found.hour().from()).isEqualTo(NOON.minus(Duration.ofMinutes(59)));
        assertThat(found.hour().ended()).hasSize(60).endsWith(0L, 1L, 2L, 1L);
        assertThat(found.hour().failed()).endsWith(0L, 1L, 1L, 0L);
        assertThat(sum(found.hour().ended())).isEqualTo(4);
        assertThat(found.day().ended()).hasSize(48).endsWith(1L, 0L, 0L, 3L, 1L);
        assertThat(sum(found.day().ended())).isEqualTo(5);
        assertThat(found.hour().estimated()).isFalse();
    }

    @Test
    void anIntervalIsCountedOnceAfterItHasEnded() {
        Trends trends = trends(100);
        end("completed", NOON.minusSeconds(1));
        now = NOON.plusSeconds(9);
        assertThat(trends.read().hour().ended()).endsWith(1L, 0L);
        end("completed", NOON.minusSeconds(2));
        now = NOON.plusSeconds(10);
        assertThat(trends.read().hour().ended()).endsWith(2L, 0L);
        app.sql().sql("DELETE FROM saga_run").update();
        now = NOON.plusSeconds(70);

        assertThat(trends.read().hour().ended()).endsWith(2L, 0L, 0L);

        now = NOON.plus(Duration.ofHours(2));
        assertThat(sum(trends.read().hour().ended())).isZero();
    }

    @Test
    void aFullIntervalIsEstimatedFromItsFirstRuns() {
        for (int second = 1; second <= 20; second++) {
            end(second % 2 == 0 ? "failed" : "completed", NOON.minusSeconds(60 - second));
        }

        Trends.Series hour = trends(10).read().hour();

        // The first 10 runs ended within 10 of 60 seconds.
        assertThat(hour.ended()).endsWith(60L, 0L);
        assertThat(hour.failed()).endsWith(30L, 0L);
        assertThat(hour.estimated()).isTrue();
    }

    @Test
    void theBacklogOfAnIntervalIsItsLargestNumber() {
        RunId first =
                app.bean(Runs.class).start(DashboardApp.Charge.class, "card").id();
        app.bean(Runs.class).start(DashboardApp.Charge.class, "card");
        now = NOON.minusSeconds(30);
        backlog.count();
        app.sql().sql("DELETE FROM saga_run WHERE id = ?").param(first.value()).update();
        now = NOON.minusSeconds(10);
        backlog.count();
        now = NOON.plusSeconds(10);

        assertThat(trends(10).read().hour().backlog()).hasSize(60).endsWith(null, 2L, null);
    }

    @Test
    void thePlanReadsTheIndexOfEndedRuns() {
        app.sql().sql("""
                INSERT INTO saga_run (id, run, format, input, state, started_at, ended_at)
                SELECT gen_random_uuid(), 'charge', 'json', '', 'completed', now(), now() - n * INTERVAL '1 second'
                FROM generate_series(1, 20000) AS n""").update();
        app.sql().sql("ANALYZE saga_run").update();

        List<String> plan = app.sql()
                .sql("EXPLAIN "
                        + EndedRuns.sql("saga_run")
                                .replace(":from", "now() - INTERVAL '1 hour'")
                                .replace(":to", "now() - INTERVAL '30 minutes'")
                                .replace(":most", "10000"))
                .query(String.class)
                .list();

        assertThat(String.join("\n", plan)).contains("saga_run_ended").doesNotContain("Seq Scan");
    }

    @Test
    void theFrontPageHasThem() {
        app.read("/saga/api/overview");

        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            JsonNode trends = app.read("/saga/api/overview").get("trends");
            assertThat(trends.path("hour").path("ended").size()).isEqualTo(60);
            assertThat(trends.path("day").path("seconds").asLong()).isEqualTo(1_800);
        });
    }
}
