package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.ReadLimit;
import io.sagaspring.test.database.TestDatabase;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Reads each address of the dashboard in a database with 1,000,000 runs. */
@Tag("million")
class DashboardScaleTests {

    private static final Logger logger = LoggerFactory.getLogger(DashboardScaleTests.class);

    /** The tables that grow. The tables of schedules, queues and permits have as many rows as the application declares. */
    private static final Pattern SCAN = Pattern.compile(
            "Seq Scan on \\S*(saga_(run|label|step|signal|idempotency_key|claim|due|delivery|lease|audit)|parcel)\\b");

    private static final Duration GOAL = Duration.ofMillis(100);

    /** Other processes may use the machine at the same time. */
    private static final int NOISE = 5;

    private static final int ROUNDS = 20;
    private static final int SERIES = 3;

    private static TestDatabase database;
    private static SentStatements sent;
    private static DashboardApp app;

    @BeforeAll
    static void fill() {
        database = TestDatabase.create();
        sent = new SentStatements();
        app = DashboardApp.start(
                database,
                application -> application
                        .sources(ParcelShop.class)
                        .resourceLoader(
                                new DefaultResourceLoader(new FilteredClassLoader("org.springframework.security")))
                        .initializers(context ->
                                ((GenericApplicationContext) context).registerBean(SentStatements.class, () -> sent)),
                Stream.concat(
                                Stream.of(ParcelShop.PROPERTIES),
                                Stream.of(
                                        "saga.dashboard.access=read-only",
                                        "saga.dashboard.statement-timeout=30s",
                                        "saga.runs.concurrency=0",
                                        "saga.janitor.stuck-after=1h"))
                        .toArray(String[]::new));
        MillionRuns.insert(app.sql());
    }

    @AfterAll
    static void close() {
        app.close();
        database.close();
    }

    private static List<String> addresses() {
        return Stream.of(ofRuns(), ofWork(), ofLocks()).flatMap(List::stream).toList();
    }

    private static List<String> ofRuns() {
        String middle = MillionRuns.id(500_000);
        String time = MillionRuns.startOf(500_000).toString();
        return List.of(
                "overview",
                "runs",
                "runs?count=true",
                "runs?before=" + middle,
                "runs?state=failed&count=true",
                "runs?state=completed&count=true",
                "runs?state=waiting&count=true",
                "runs?state=pending&count=true",
                "runs?state=running&count=true",
                "runs?state=in_doubt&count=true&before=" + middle,
                "runs?state=compensating&count=true",
                "runs?state=waiting&olderThan=PT80H&count=true",
                "runs?state=waiting&olderThan=PT1M&count=true",
                "runs?state=failed&olderThan=PT1M&count=true",
                "runs?run=order&count=true",
                "runs?run=order&state=completed&count=true",
                "runs?run=order&state=failed&count=true",
                "runs?run=kind-7&count=true",
                "runs?run=kind-7&state=waiting&count=true",
                "runs?run=rare&count=true",
                "runs?run=rare&state=completed&count=true",
                "runs?run=none&count=true",
                "runs?run=order&key=key-4711&count=true",
                "runs?key=key-4711&count=true",
                "runs?label=customer:42&count=true",
                "runs?label=customer:42&state=failed&count=true",
                "runs?tenant=acme&count=true",
                "runs?tenant=acme&state=failed&count=true",
                "runs?tenant=none&count=true",
                "runs?tenant=&state=parked&count=true",
                "runs?node=node-1&count=true",
                "runs?startedFrom=2020-01-01T00:00:00Z&count=true",
                "runs?startedFrom=" + time + "&state=in_doubt&count=true",
                "runs?startedBefore=2020-01-01T00:00:00Z&count=true",
                "runs?startedBefore=" + time + "&count=true",
                "runs?startedBefore=" + time + "&state=failed&count=true",
                "runs?startedBefore=" + time + "&run=rare&count=true",
                "run?id=" + MillionRuns.id(950_011),
                "nodes",
                "kinds");
    }

    private static List<String> ofWork() {
        return List.of(
                "workflows",
                "claims",
                "claims?limit=200",
                "claims?tenant=acme",
                "claims?limit=200&after=%s_17".formatted(Instant.now().minusSeconds(3_600)),
                "entity?workflow=shipping&id=4711",
                "work",
                "work?limit=200",
                "work?limit=200&after=p2026-01-01T00:00:00Z_17",
                "work?limit=200&after=u2026-01-01T00:00:00Z_17",
                "deliveries",
                "deliveries?after=50000",
                "deliveries?state=parked",
                "deliveries?state=waiting&limit=200",
                "deliveries?state=retrying",
                "deliveries?state=retrying&listener=other-3",
                "deliveries?state=delivering",
                "deliveries?listener=none",
                "deliveries?key=key-17",
                "deliveries?key=none",
                "deliveries?tenant=acme",
                "deliveries?tenant=none",
                "schedules",
                "queues");
    }

    private static List<String> ofLocks() {
        return List.of(
                "leases",
                "leases?limit=200",
                "leases?name=lease-4711",
                "leases?tenant=acme",
                "leases?tenant=none",
                "leases?node=none",
                "leases?state=held",
                "keys",
                "keys?limit=200",
                "keys?operation=pay",
                "keys?operation=none",
                "keys?owner=shop",
                "keys?owner=none",
                "keys?node=none",
                "keys?tenant=none",
                "keys?state=processing",
                "keys?state=abandoned",
                "keys?state=expired",
                "keys?operation=pay&owner=shop&account=account&request=request-4711",
                "audit",
                "audit?kind=run&target=r-4711",
                "audit?kind=none",
                "audit?operator=bob",
                "audit?operator=alice&operation=run.retry",
                "audit?operation=run.retry&before=100000",
                "audit?tenant=acme",
                "audit?tenant=acme&operator=bob");
    }

    @Test
    void noStatementReadsATableThatGrowsAsAWhole() {
        Map<String, String> scans = new LinkedHashMap<>();
        sent.take();
        for (String address : addresses()) {
            app.read("/saga/api/" + address);
            Collection<String> statements = sent.take();
            for (String statement : statements) {
                List<String> plan = plan(statement);
                if (plan.stream().anyMatch(line -> SCAN.matcher(line).find())) {
                    scans.put(address, statement + "\n" + String.join("\n", plan));
                }
            }
        }

        assertThat(scans).isEmpty();
    }

    /** Plans a statement with the settings that the dashboard reads with. */
    private static List<String> plan(String statement) {
        OwnTransactions own = new OwnTransactions(app.bean(DataSource.class));
        return ReadLimit.within(
                GOAL.multipliedBy(NOISE),
                () -> own.single(connection -> JdbcClient.create(new SingleConnectionDataSource(connection, true))
                        .sql("EXPLAIN " + statement)
                        .query(String.class)
                        .list()));
    }

    @Test
    void eachAddressAnswersWithinAFractionOfASecond() {
        Map<String, Runnable> requests = new LinkedHashMap<>();
        Duration timeout = Duration.ofSeconds(30);
        KindCounting kinds = new KindCounting(app.sources(), timeout);
        OwnTransactions own = new OwnTransactions(app.bean(DataSource.class));
        Supplier<Instant> now = new DatabaseClock(own)::now;
        BacklogHistory backlog = new BacklogHistory(app.sources(), now);
        Supplier<Trends> trends =
                () -> new Trends(app.sources(), new EndedRuns(app.sources(), own, 10_000), backlog, timeout, now);
        requests.put(
                "trends, for the first time on this node",
                () -> assertThat(trends.get().read()).isNotNull());
        requests.put(
                "overview, for the first time on this node",
                () -> ReadLimit.within(
                        timeout,
                        () -> assertThat(new Overview(app.sources(), kinds, trends.get(), now).latest())
                                .isNotNull()));
        Trends kept = trends.get();
        requests.put(
                "overview, if it is read again",
                () -> ReadLimit.within(
                        timeout,
                        () -> assertThat(new Overview(app.sources(), kinds, kept, now).latest())
                                .isNotNull()));
        for (String address : addresses()) {
            requests.put(address, () -> {
                HttpResponse<String> response = app.get("/saga/api/" + address);
                assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            });
        }

        Map<String, Duration> slow = new LinkedHashMap<>();
        requests.forEach((name, request) -> {
            Duration best = best(request);
            logger.info("{} ms: {}", best.toMillis(), name);
            if (best.compareTo(GOAL.multipliedBy(NOISE)) > 0) {
                slow.put(name, best);
            }
        });

        assertThat(slow).isEmpty();
    }

    /** Repeats the series while it misses the goal, because another process may have taken the machine. */
    private static Duration best(Runnable request) {
        Duration best = p95(request);
        for (int again = 1; again < SERIES && best.compareTo(GOAL) > 0; again++) {
            Duration next = p95(request);
            best = next.compareTo(best) < 0 ? next : best;
        }
        return best;
    }

    private static Duration p95(Runnable request) {
        List<Long> nanos = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            long start = System.nanoTime();
            request.run();
            nanos.add(System.nanoTime() - start);
        }
        long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        return Duration.ofNanos(sorted[ROUNDS * 95 / 100]);
    }
}
