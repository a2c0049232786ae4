package io.sagaspring.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.operations.Audit.Request;
import io.sagaspring.operations.OperationPerformed.Outcome;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Pool;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests that each operation is audited, and that the audit never changes the result of an operation. */
@ExtendWith(OutputCaptureExtension.class)
class AuditTests {

    private static final Operator ADA = Operator.named("ada");
    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final DataSource connections = Pool.of(database);
    private static final SagaSchema schema = SagaSchema.verify(connections, null);
    private static final JdbcClient jdbc = JdbcClient.create(connections);

    private final List<Object> events = new ArrayList<>();
    private final AuditTable table = table(Duration.ofDays(90));
    private final AuditLog log = new AuditLog(table);
    private final Audit audit = new Audit(table, events::add);

    private static AuditTable table(Duration retention) {
        return new AuditTable(schema, new OwnTransactions(connections), retention);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void empty() {
        jdbc.sql("TRUNCATE saga_audit").update();
    }

    private static Request request(String id) {
        return new Request("run.retry", new OperationTarget("run", id, "acme"), ADA, "it is urgent");
    }

    private static OperationResult accept() {
        return OperationResult.accepted("Done.");
    }

    private List<AuditEntry> all() {
        return log.list(AuditQuery.latest(1_000));
    }

    private List<Outcome> outcomes() {
        return all().stream().map(each -> each.operation().outcome()).toList();
    }

    @Test
    void anOperationIsLoggedStoredAndPublished(CapturedOutput output) {
        OperationResult result = audit.perform(request("r-1"), AuditTests::accept);

        assertThat(result.wasDone()).isTrue();
        OperationPerformed expected = request("r-1").ended(Outcome.ACCEPTED, "Done.");
        assertThat(events).containsExactly(expected);
        assertThat(all()).singleElement().satisfies(entry -> {
            assertThat(entry.operation()).isEqualTo(expected);
            assertThat(entry.at())
                    .isEqualTo(jdbc.sql("SELECT performed_at FROM saga_audit")
                            .query(Instant.class)
                            .single());
        });
        assertThat(output)
                .contains(
                        "run.retry on run r-1 of tenant acme by 'ada' through java was accepted: Done. Reason: it is urgent");
    }

    @Test
    void anOperationThatIsNotDoneIsAuditedToo() {
        assertThat(audit.perform(request("1"), () -> OperationResult.refused("It has ended."))
                        .result())
                .isEqualTo(OperationResult.Result.REFUSED);
        assertThat(audit.perform(request("2"), () -> OperationResult.unknown("There is no run 2."))
                        .result())
                .isEqualTo(OperationResult.Result.UNKNOWN);
        assertThatThrownBy(() -> audit.perform(request("3"), () -> {
                    throw new InvalidOperationException("It is not JSON.");
                }))
                .isInstanceOf(InvalidOperationException.class);
        assertThatThrownBy(() -> audit.perform(request("4"), () -> {
                    throw new StackOverflowError("deep");
                }))
                .isInstanceOf(StackOverflowError.class);

        assertThat(all())
                .extracting(
                        each -> each.operation().target().id(),
                        each -> each.operation().outcome(),
                        each -> each.operation().message())
                .containsExactly(
                        tuple("4", Outcome.FAILED, "java.lang.StackOverflowError: deep"),
                        tuple("3", Outcome.INVALID, "It is not JSON."),
                        tuple("2", Outcome.UNKNOWN, "There is no run 2."),
                        tuple("1", Outcome.REFUSED, "It has ended."));
        assertThat(events).hasSize(4);
    }

    @Test
    void aRollbackOfTheCallerDoesNotRemoveTheEntry() {
        new TransactionTemplate(new JdbcTransactionManager(connections)).executeWithoutResult(status -> {
            OperationResult unused = audit.perform(request("r-1"), AuditTests::accept);
            status.setRollbackOnly();
        });

        assertThat(outcomes()).containsExactly(Outcome.ACCEPTED);
    }

    @Test
    void anAuditThatFailsDoesNotChangeTheResult(CapturedOutput output) {
        jdbc.sql("ALTER TABLE saga_audit RENAME TO hidden").update();
        try {
            assertThat(audit.perform(request("r-1"), AuditTests::accept).wasDone())
                    .isTrue();
        } finally {
            jdbc.sql("ALTER TABLE hidden RENAME TO saga_audit").update();
        }

        assertThat(events).hasSize(1);
        assertThat(output)
                .contains(
                        "An operation could not be written to the table of the audit. Its result does not change. The operation: run.retry on run r-1");
    }

    @Test
    void aListenerThatThrowsDoesNotChangeTheResult(CapturedOutput output) {
        Audit heard = new Audit(table, event -> {
            throw new StackOverflowError("expected");
        });

        assertThat(heard.perform(request("r-1"), AuditTests::accept).wasDone()).isTrue();

        assertThat(outcomes()).containsExactly(Outcome.ACCEPTED);
        assertThat(output).contains("An operation made a listener of the event throw an exception.");
    }

    @Test
    void withoutATableOperationsAreLoggedAndPublished(CapturedOutput output) {
        assertThat(new Audit(null, events::add)
                        .perform(request("r-1"), AuditTests::accept)
                        .wasDone())
                .isTrue();

        assertThat(events).hasSize(1);
        assertThat(output).contains("run.retry on run r-1");
    }

    @Test
    void aDeniedRequestIsStoredOnlyIfThePersonIsKnown(CapturedOutput output) {
        OperationTarget target = new OperationTarget("run", "r-1", null);

        audit.deny("run.retry", target, ADA, "The header is missing.");
        audit.deny("run.retry", target, new Operator(null, Operator.Access.DASHBOARD), "Sign in.");

        assertThat(all())
                .singleElement()
                .extracting(AuditEntry::operation)
                .isEqualTo(new OperationPerformed(
                        "run.retry", target, ADA, null, Outcome.DENIED, "The header is missing."));
        assertThat(events).hasSize(1);
        assertThat(output)
                .contains(
                        "run.retry on run r-1 by 'ada' through java was denied: The header is missing.",
                        "run.retry on run r-1 by an operator through dashboard was denied: Sign in.");
    }

    @Test
    void onlySomeDeniedRequestsAreStoredInAMinute(CapturedOutput output) {
        AtomicReference<Duration> now = new AtomicReference<>(Duration.ZERO);
        Audit limited = new Audit(table, events::add, new DenialLimit(now::get));
        OperationTarget target = new OperationTarget("run", "r-1", null);

        for (int number = 0; number < DenialLimit.MOST + 5; number++) {
            limited.deny("run.retry", target, ADA, "Request %s.".formatted(number));
        }
        assertThat(all()).hasSize(DenialLimit.MOST);
        assertThat(output).contains("Request %s.".formatted(DenialLimit.MOST + 4));
        OperationResult unused = limited.perform(request("r-2"), AuditTests::accept);
        assertThat(all()).hasSize(DenialLimit.MOST + 1);
        now.set(Duration.ofMinutes(1));
        limited.deny("run.retry", target, ADA, "Later.");
        assertThat(all()).hasSize(DenialLimit.MOST + 2);
    }

    @Test
    void foreignTextsForgeNoLineAndAreAlwaysStored(CapturedOutput output) {
        String hostile = "x\0\r\n2026-01-01 run.retry by 'root'\u2028" + "😀".repeat(AuditTable.LONGEST);
        Request request = new Request(
                "run.cancel", new OperationTarget("run", hostile, hostile), Operator.named(hostile), hostile);

        OperationResult unused = audit.perform(request, () -> OperationResult.refused(hostile));

        OperationPerformed stored = all().get(0).operation();
        assertThat(List.of(stored.target().id(), stored.message(), String.valueOf(stored.reason())))
                .allSatisfy(
                        text -> assertThat(text).startsWith("x\uFFFD\r\n2026").endsWith("😀…"));
        assertThat(stored.operator().name())
                .startsWith("x   2026")
                .endsWith("…")
                .hasSizeLessThan(210);
        assertThat(output.toString().lines()).noneMatch(line -> line.startsWith("2026-01-01 run.retry"));
    }

    @Test
    void anEntryIsRemovedWhenItsRetentionHasEnded() {
        OperationResult old = audit.perform(request("old"), AuditTests::accept);
        jdbc.sql("UPDATE saga_audit SET performed_at = performed_at - INTERVAL '10 days'")
                .update();
        OperationResult young = audit.perform(request("young"), AuditTests::accept);
        assertThat(List.of(old, young)).allMatch(OperationResult::wasDone);

        assertThat(table(Duration.ofDays(11)).purge(100)).isZero();
        assertThat(table(Duration.ofDays(9)).purge(100)).isOne();

        assertThat(all()).extracting(each -> each.operation().target().id()).containsExactly("young");
    }

    @Test
    void aListIsFilteredAndPaged() {
        for (int number = 0; number < 6; number++) {
            OperationResult unused = audit.perform(
                    new Request(
                            number % 2 == 0 ? "run.retry" : "run.cancel",
                            new OperationTarget("run", "r-" + number % 3, number < 3 ? "acme" : null),
                            number == 5 ? Operator.named("bob") : ADA,
                            null),
                    AuditTests::accept);
        }
        List<Long> ids = all().stream().map(AuditEntry::id).toList();

        assertThat(ids).hasSize(6).isSortedAccordingTo((one, other) -> Long.compare(other, one));
        assertThat(list(AuditQuery.latest(2))).isEqualTo(ids.subList(0, 2));
        assertThat(list(AuditQuery.latest(2).before(ids.get(1)))).isEqualTo(ids.subList(2, 4));
        assertThat(list(AuditQuery.latest(9).on("run", "r-2"))).containsExactly(ids.get(0), ids.get(3));
        assertThat(list(AuditQuery.latest(9).on("run", "r-2").before(ids.get(0))))
                .containsExactly(ids.get(3));
        assertThat(list(AuditQuery.latest(9).on("queue", "r-2"))).isEmpty();
        assertThat(list(AuditQuery.latest(9).by("bob"))).containsExactly(ids.get(0));
        assertThat(list(new AuditQuery(null, null, "acme", null, "run.cancel", null, 9)))
                .containsExactly(ids.get(4));
        assertThat(list(AuditQuery.latest(9).by("no\0body"))).isEmpty();
        assertThatThrownBy(() -> new AuditQuery(null, "r-2", null, null, null, null, 9))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("without its kind");
        assertThatThrownBy(() -> AuditQuery.latest(1_001)).hasMessageContaining("from 1 to 1,000");
    }

    private List<Long> list(AuditQuery query) {
        return log.list(query).stream().map(AuditEntry::id).toList();
    }

    /** Most entries belong to one person, and one object has few entries. */
    @Test
    void listsAndThePurgeUseAnIndex() {
        jdbc.sql("""
                INSERT INTO saga_audit (performed_at, operation, target_kind, target, tenant, operator, access, outcome, message)
                SELECT clock_timestamp() - n * INTERVAL '1 minute', CASE WHEN n % 1000 = 0 THEN 'run.cancel' ELSE 'run.retry' END,
                    'run', 'r-' || n / 10, CASE WHEN n % 500 = 0 THEN 'acme' END,
                    CASE WHEN n % 700 = 0 THEN 'bob' ELSE 'ada' END, 'java', 'accepted', 'Done.'
                FROM generate_series(1, 30000) AS n""").update();
        jdbc.sql("ANALYZE saga_audit").update();
        AuditQuery query = AuditQuery.latest(50);

        assertPlan(query, "saga_audit_pkey");
        assertPlan(query.before(29_000), "saga_audit_pkey");
        assertPlan(query.on("run", "r-7"), "saga_audit_target");
        assertPlan(query.on("run", "r-7").before(29_000), "saga_audit_target");
        assertPlan(query.by("bob"), "saga_audit_operator");
        assertPlan(new AuditQuery(null, null, null, null, "run.cancel", null, 50), "saga_audit_operation");
        assertPlan(new AuditQuery(null, null, "acme", null, null, null, 50), "saga_audit_tenant");
        assertThat(jdbc.sql("EXPLAIN " + table.purge())
                        .param(Duration.ofDays(20).toMillis())
                        .param(1_000)
                        .query(String.class)
                        .list())
                .anyMatch(line -> line.contains("saga_audit_age"));
    }

    private void assertPlan(AuditQuery query, String index) {
        Object[] values = Stream.of(
                        query.operation(),
                        query.operator(),
                        query.target(),
                        query.targetKind(),
                        query.tenant(),
                        query.before(),
                        query.limit())
                .filter(Objects::nonNull)
                .toArray();
        assertThat(jdbc.sql("EXPLAIN " + table.selection(query))
                        .params(values)
                        .query(String.class)
                        .list())
                .anyMatch(line -> line.contains(index))
                .noneMatch(line -> line.contains("Seq Scan"));
    }
}
