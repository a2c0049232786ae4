package io.sagaspring.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.operations.BulkOperations.Confirmed;
import io.sagaspring.operations.BulkOperations.Preview;
import io.sagaspring.operations.OperationPerformed.Outcome;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A person changes all runs that a query selects. This node executes no runs, so that states stay as they are. */
class BulkOperationsTests {

    private static final Operator ADA = Operator.named("ada");
    private static final RunQuery PENDING = RunQuery.all().in(RunState.PENDING);

    private static TestDatabase database;
    private static Shop shop;

    static final class Tale implements DurableRun<String, String> {

        @Override
        public String run(RunContext run, String input) {
            return input;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Code {

        @Bean
        Tale tale() {
            return new Tale();
        }
    }

    @BeforeAll
    static void open() {
        database = TestDatabase.create(MigratedSchema.class);
        shop = Shop.open(database, application -> application.sources(Code.class), "saga.runs.concurrency=0");
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void empty() {
        shop.database()
                .sql("TRUNCATE saga_audit, saga_run, saga_step, saga_signal")
                .update();
    }

    private static void start(int runs) {
        for (int number = 0; number < runs; number++) {
            RunId unused = shop.bean(Runs.class).start(Tale.class, "input").id();
        }
    }

    private static void fail(String state) {
        shop.database()
                .sql(
                        "UPDATE saga_run SET state = ?, due_at = NULL, node = NULL, ended_at = CASE WHEN ? = 'failed' THEN clock_timestamp() END")
                .param(state)
                .param(state)
                .update();
    }

    private static BulkOperations bulk() {
        return shop.bean(BulkOperations.class);
    }

    private static int count(RunState state) {
        return shop.bean(Runs.class).count(RunQuery.all().in(state)).number();
    }

    private static Confirmed confirmed(RunQuery query, Preview preview) {
        return new Confirmed(
                query, Objects.requireNonNull(preview.latest()), preview.count().number(), null, "why");
    }

    private static List<AuditEntry> audited() {
        return shop.bean(AuditLog.class).list(AuditQuery.latest(1_000));
    }

    @Test
    void allRunsOfTheQueryAreChangedAndAuditedInSlices() {
        start(230);
        fail("failed");
        RunQuery failed = RunQuery.all().in(RunState.FAILED);
        // The page that the list shows must not limit the operation.
        RunQuery page = failed.latest(50).before(RunId.next());

        Preview preview = bulk().preview(BulkAction.RETRY, page);

        assertThat(preview.count().number()).isEqualTo(230);
        assertThat(preview.examples()).hasSize(5);
        BulkResult result = bulk().perform(BulkAction.RETRY, confirmed(page, preview), ADA);
        assertThat(result.operation().wasDone()).isTrue();
        assertThat(List.of(result.done(), result.refused(), result.unknown())).containsExactly(230, 0, 0);
        assertThat(result.next()).isNull();
        assertThat(count(RunState.FAILED)).isZero();
        assertThat(audited()).hasSize(231);
        OperationPerformed whole = audited().get(0).operation();
        assertThat(whole.operation()).isEqualTo("bulk.retry");
        assertThat(whole.target()).hasToString("bulk state=failed");
        assertThat(whole.reason()).isEqualTo("why");
        assertThat(whole.message()).isEqualTo(result.operation().message()).contains("230");
        assertThat(bulk().perform(BulkAction.RETRY, confirmed(page, preview), ADA)
                        .operation()
                        .result())
                .isEqualTo(OperationResult.Result.UNKNOWN);
    }

    @Test
    void aRunThatWasStartedAfterThePreviewIsLeftOut() {
        start(3);
        Preview preview = bulk().preview(BulkAction.CANCEL, PENDING);
        start(2);

        BulkResult result = bulk().perform(
                        BulkAction.CANCEL,
                        new Confirmed(PENDING, Objects.requireNonNull(preview.latest()), 1_000, null, "why"),
                        ADA);

        assertThat(result.done()).isEqualTo(3);
        assertThat(shop.database()
                        .sql("SELECT count(*) FROM saga_run WHERE cancel_reason IS NULL")
                        .query(Integer.class)
                        .single())
                .isEqualTo(2);
    }

    @Test
    void noMoreRunsThanConfirmedAreChangedAndTheNextCallContinues() {
        start(250);
        fail("parked");
        RunQuery parked = RunQuery.all().in(RunState.PARKED);
        RunId latest = Objects.requireNonNull(
                bulk().preview(BulkAction.GIVE_UP, parked).latest());

        BulkResult first = bulk().perform(BulkAction.GIVE_UP, new Confirmed(parked, latest, 120, null, null), ADA);

        assertThat(first.done()).isEqualTo(120);
        assertThat(first.next()).isNotNull();
        assertThat(count(RunState.PARKED)).isEqualTo(130);
        BulkResult second =
                bulk().perform(BulkAction.GIVE_UP, new Confirmed(parked, latest, 130, first.next(), null), ADA);
        assertThat(second.done()).isEqualTo(130);
        assertThat(count(RunState.PARKED)).isZero();
    }

    @Test
    void oneCallChangesAtMostAThousandRuns() {
        start(1);
        shop.database().sql("""
                INSERT INTO saga_run (id, run, format, input, state, attempts, started_at, since)
                SELECT gen_random_uuid(), run, format, input, 'parked', 1, started_at, started_at
                FROM saga_run, generate_series(1, 1005)""").update();
        RunQuery parked = RunQuery.all().in(RunState.PARKED);
        Preview preview = bulk().preview(BulkAction.GIVE_UP, parked);

        BulkResult result = bulk().perform(BulkAction.GIVE_UP, confirmed(parked, preview), ADA);

        assertThat(result.done()).isEqualTo(1_000);
        assertThat(result.next()).isNotNull();
        assertThat(count(RunState.PARKED)).isEqualTo(5);
    }

    @Test
    void aRunWhoseChangeThrowsEndsThePassAndTheNextCallContinuesBehindIt() {
        start(5);
        fail("parked");
        RunQuery parked = RunQuery.all().in(RunState.PARKED);
        Preview preview = bulk().preview(BulkAction.GIVE_UP, parked);
        RunId broken = shop.bean(Runs.class).list(parked.latest(5)).get(2).id();
        refuseChangesOf(broken);
        try {
            BulkResult first = bulk().perform(BulkAction.GIVE_UP, confirmed(parked, preview), ADA);

            assertThat(List.of(first.done(), first.failed())).containsExactly(2, 1);
            assertThat(first.next()).isEqualTo(broken);
            assertThat(audited().get(0).operation().message())
                    .isEqualTo(first.operation().message())
                    .contains("The change of the next run failed");
            assertThat(audited().get(1).operation().outcome()).isEqualTo(Outcome.FAILED);
            BulkResult second = bulk().perform(
                            BulkAction.GIVE_UP,
                            new Confirmed(parked, Objects.requireNonNull(preview.latest()), 2, first.next(), null),
                            ADA);
            assertThat(List.of(second.done(), second.failed())).containsExactly(2, 0);
            assertThat(count(RunState.PARKED)).isOne();
        } finally {
            shop.database().sql("DROP FUNCTION refuse() CASCADE").update();
        }
    }

    private static void refuseChangesOf(RunId run) {
        shop.database().sql("""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'refused by a trigger'; END $$""").update();
        shop.database()
                .sql(
                        "CREATE TRIGGER refused BEFORE UPDATE ON saga_run FOR EACH ROW WHEN (OLD.id = '%s') EXECUTE FUNCTION refuse()"
                                .formatted(run))
                .update();
    }

    @Test
    void aQueryNeedsOneStateThatFits() {
        start(1);
        RunId latest = Objects.requireNonNull(
                bulk().preview(BulkAction.CANCEL, PENDING).latest());
        for (RunQuery query : List.of(
                RunQuery.all(), RunQuery.all().in(RunState.COMPLETED), PENDING.in(RunState.PENDING, RunState.PARKED))) {
            assertThatThrownBy(() -> bulk().preview(BulkAction.CANCEL, query))
                    .isInstanceOf(InvalidOperationException.class)
                    .hasMessageContaining("exactly one state out of blocked,");
            assertThatThrownBy(
                            () -> bulk().perform(BulkAction.CANCEL, new Confirmed(query, latest, 1, null, null), ADA))
                    .isInstanceOf(InvalidOperationException.class);
            assertThat(audited().get(0).operation().outcome()).isEqualTo(Outcome.INVALID);
        }
        assertThatThrownBy(() -> bulk().perform(BulkAction.CANCEL, new Confirmed(PENDING, latest, 0, null, null), ADA))
                .isInstanceOf(InvalidOperationException.class);
        assertThat(shop.database()
                        .sql("SELECT cancel_reason IS NULL FROM saga_run")
                        .query(Boolean.class)
                        .single())
                .isTrue();
    }
}
