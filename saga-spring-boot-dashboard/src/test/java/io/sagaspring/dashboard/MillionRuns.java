package io.sagaspring.dashboard;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Fills a database: 1,000,000 runs of about 50 kinds within 3.5 days, 1,000,000 idempotency keys, 200,000 leases, 100,000
 * claims, and so on. Nearly all runs belong to one kind, and nearly all have completed.
 */
final class MillionRuns {

    static final int RUNS = 1_000_000;
    static final int CLAIMS = 100_000;

    /** The time of the latest start. One run starts every 300 ms. */
    private static final long LATEST = System.currentTimeMillis();

    private static final int PERIOD = 300;

    /** The time of the start of the run {@code n}. */
    private static final String MILLIS = "(%d - (%d - n)::bigint * %d)".formatted(LATEST, RUNS, PERIOD);

    /** The id of the run {@code n}. Like the engine's ids, it begins with the time. */
    private static final String ID = "(lpad(to_hex(%s), 12, '0') || '70008000000000000000')::uuid".formatted(MILLIS);

    private static final Map<String, String> INSERTS = Map.ofEntries(
            Map.entry("saga_run", """
                INSERT INTO saga_run (id, run, start_key, tenant, state, format, input, started_at, since, due_at,
                    ended_at, error, lane, queue, queue_key, priority, queue_number, compensating)
                SELECT {id},
                    CASE WHEN n % 100000 = 77 THEN 'rare' WHEN n % 10 < 9 THEN 'order' ELSE 'kind-' || n / 10 % 47 END,
                    'key-' || n, CASE WHEN n % 100 = 7 THEN 'acme' END, state, 'json', '1', at, at + INTERVAL '1 second',
                    CASE WHEN state = 'running' THEN now() + INTERVAL '1 hour'
                        WHEN state = 'pending' AND n % 2 = 0 THEN now() + INTERVAL '2 hours' END,
                    CASE WHEN state IN ('completed', 'failed', 'cancelled') THEN at + INTERVAL '1 second' END,
                    CASE WHEN state = 'failed' THEN 'java.lang.IllegalStateException: no money' END,
                    CASE WHEN waits THEN 'queue:psp' END, CASE WHEN waits THEN 'psp' END, CASE WHEN waits THEN '' END,
                    CASE WHEN waits THEN 0 END, CASE WHEN waits THEN n END, state = 'waiting' AND n % 400 = 0
                FROM (SELECT *, state = 'pending' AND n % 2 = 1 AS waits FROM (
                    SELECT n, to_timestamp({millis} / 1000.0) AS at,
                        CASE WHEN n > 990000 AND n % 3 = 0 THEN 'pending' WHEN n > 999500 THEN 'running'
                            WHEN n % 20 = 11 OR n % 200 = 19 THEN 'waiting'
                            WHEN n % 100 = 33 OR n % 1000 = 49 THEN 'failed'
                            WHEN n % 1000 = 1 THEN 'cancelled'
                            WHEN n % 5000 = 17 THEN (ARRAY['in_doubt', 'blocked', 'parked', 'compensation_failed'])[n / 5000 % 4 + 1]
                            ELSE 'completed' END AS state
                    FROM generate_series(1, 1000000) AS n) AS s) AS made"""),
            Map.entry("saga_label", """
                INSERT INTO saga_label (run_id, name, value)
                SELECT {id}, 'customer', (n % 50000)::text
                FROM generate_series(500001, 1000000) AS n"""),
            Map.entry("saga_step", """
                INSERT INTO saga_step (run_id, position, step, call, mark, token, at)
                SELECT {id}, p, 'step-' || p, 'STEP', 'DONE', 1, now()
                FROM generate_series(940001, 960000) AS n, generate_series(0, 2) AS p"""),
            Map.entry("saga_signal", """
                INSERT INTO saga_signal (run_id, name, signal_key, format, payload, at)
                SELECT {id}, 'amount', n::text, 'json', '1', now()
                FROM generate_series(940001, 960000) AS n"""),
            Map.entry("saga_idempotency_key", """
                INSERT INTO saga_idempotency_key (id, owner, account, request_id, operation, attempt, token, node, claimed_at,
                    expires_at, lease_until, format)
                SELECT sha256(n::text::bytea), 'shop', 'account', 'request-' || n, 'pay', gen_random_uuid(), n, 'node', now(),
                    now() + n * INTERVAL '0.1 second' + INTERVAL '1 hour', CASE WHEN n % 1000 = 0 THEN now() END, 'json'
                FROM generate_series(1, 1000000) AS n"""),
            Map.entry("saga_lease", """
                INSERT INTO saga_lease (name, token, attempt, node, ttl_millis, touched_at, expires_at, completion)
                SELECT CASE WHEN n % 100 = 7 THEN 'acme' || chr(31) ELSE '' END || 'lease-' || n, n, gen_random_uuid(), 'node-' || n % 5, 30000,
                    now() - (200000 - n) * INTERVAL '1 second', CASE WHEN n % 100 = 0 THEN now() + INTERVAL '2 hours' END,
                    CASE WHEN n % 2 = 1 THEN 'PASSED' END
                FROM generate_series(1, 200000) AS n"""),
            Map.entry("saga_claim", """
                INSERT INTO saga_claim (entity, entity_id, workflow, module, claim_state, revert_to, requester, node, attempt,
                    token, claimed_at, alive_at)
                SELECT 'parcel', n, 'shipping', 'shop', 'SENDING', 'PACKED', 'clerk', 'node', gen_random_uuid(), n,
                    now() - INTERVAL '3 hours',
                    CASE WHEN n % 2000 = 0 THEN now() - INTERVAL '2 hours' ELSE now() END - n * INTERVAL '1 microsecond'
                FROM generate_series(1, 100000) AS n"""),
            Map.entry("parcel", """
                INSERT INTO parcel (id, status, version, recipient)
                SELECT n, CASE WHEN n <= 100000 THEN 'SENDING' ELSE 'SENT' END, n, 'secret-recipient' FROM generate_series(1, 200000) AS n"""),
            Map.entry("saga_due", """
                INSERT INTO saga_due (queue, work_key, payload, due_at, parked_at, attempts)
                SELECT 'gone-' || n % 7, n, 'x', CASE WHEN n % 10 = 0 THEN now() - INTERVAL '2 hours' ELSE now() + INTERVAL '2 hours' END,
                    CASE WHEN n % 50 = 3 THEN now() END, 3
                FROM generate_series(1, 100000) AS n"""),
            Map.entry("saga_delivery", """
                INSERT INTO saga_delivery (listener, event, line, order_key, tenant, format, payload, published_at, due_at, attempts,
                    parked_at)
                SELECT 'other-' || n % 7, 'Ordered', n % 20000, 'key-' || n % 20000, CASE WHEN n % 100 = 7 THEN 'acme' END, 'json', '1',
                    now(), now() - INTERVAL '1 minute', CASE WHEN n % 500 = 4 THEN 1 ELSE 0 END, CASE WHEN n % 50 = 3 THEN now() END
                FROM generate_series(1, 100000) AS n"""),
            Map.entry("saga_audit", """
                INSERT INTO saga_audit (performed_at, operation, target_kind, target, tenant, operator, access, outcome, message)
                SELECT now(), CASE WHEN n % 10 = 0 THEN 'run.retry' ELSE 'run.cancel' END, 'run', 'r-' || n, CASE WHEN n % 100 = 7 THEN 'acme' END,
                    CASE WHEN n % 1000 = 1 THEN 'bob' ELSE 'alice' END, 'dashboard', 'accepted', 'ok'
                FROM generate_series(1, 200000) AS n"""),
            Map.entry("saga_schedule", """
                INSERT INTO saga_schedule (name, run, spec, missed, missed_window, overlap, next_at, changed_at, changed_by)
                SELECT 'schedule-' || n, 'order', 'rate PT5M', 'LATEST', 0, 'ALLOW', now() + INTERVAL '1 day', now(), 'test'
                FROM generate_series(1, 200) AS n"""));

    private MillionRuns() {}

    static void insert(JdbcClient jdbc) {
        INSERTS.forEach((table, insert) -> {
            int unused = jdbc.sql(insert.replace("{id}", ID).replace("{millis}", MILLIS))
                    .update();
            jdbc.sql("VACUUM (ANALYZE) " + table).update();
        });
    }

    private static long millis(int n) {
        return LATEST - (long) (RUNS - n) * PERIOD;
    }

    /** Returns the time at which a run was started. */
    static Instant startOf(int n) {
        return Instant.ofEpochMilli(millis(n));
    }

    /** Returns the id of a run. */
    static String id(int n) {
        return new UUID(millis(n) << 16 | 0x7000, 0x8000_0000_0000_0000L).toString();
    }
}
