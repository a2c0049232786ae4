INSERT /* saga:run.start */ INTO "public"."saga_run" (id, run, start_key, tenant, state, format, input, carried, token, node, due_at, attempts,
    deadline_at, started_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?,
    clock_timestamp() + ? * INTERVAL '1 millisecond', ?,
    clock_timestamp() + ? * INTERVAL '1 millisecond', clock_timestamp())
 RETURNING id, token, started_at

WITH /* saga:run.pick */ clock AS MATERIALIZED (SELECT clock_timestamp() AS at),
shares AS MATERIALIZED (
    SELECT run, fresh, count(*) AS share FROM (
        SELECT lane.run, lane.fresh
        FROM unnest((SELECT ?::text[]), ?::boolean[]) WITH ORDINALITY AS lane (run, fresh, turn), LATERAL (
            SELECT row_number() OVER () AS nth FROM (SELECT r.id FROM "public"."saga_run" AS r
                WHERE r.run = lane.run AND (r.token IS NULL) = lane.fresh AND r.due_at <= (SELECT at FROM clock) ORDER BY r.due_at LIMIT 4) AS f) AS due
        ORDER BY due.nth, lane.turn LIMIT 4) AS chosen
    GROUP BY run, fresh),
due AS MATERIALIZED (
    SELECT d.* FROM shares AS lane, LATERAL (
        SELECT * FROM (SELECT r.id, r.due_at, r.token, r.state, r.amid, r.attempts, r.journaled FROM "public"."saga_run" AS r
            WHERE r.run = lane.run AND (r.token IS NULL) = lane.fresh AND r.due_at <= (SELECT at FROM clock)
            ORDER BY r.due_at LIMIT 4 FOR UPDATE SKIP LOCKED) AS f LIMIT lane.share) AS d),
counted AS MATERIALIZED (
    SELECT d.id, d.due_at AS was_due, d.token IS NOT NULL AS was_driven,
        d.amid OR d.state = 'running' AS interrupted, f.entries,
        CASE WHEN f.entries > d.journaled THEN 1 ELSE d.attempts + 1 END AS attempt
    FROM due AS d CROSS JOIN LATERAL (SELECT CASE WHEN d.token IS NULL THEN 0 ELSE coalesce((
        SELECT position + 1 FROM "public"."saga_step" AS s WHERE s.run_id = d.id ORDER BY position DESC LIMIT 1), 0)
        END AS entries) AS f)
UPDATE "public"."saga_run" AS r SET token = nextval('"public"."saga_token"'), journaled = c.entries, amid = c.interrupted,
    picked_up_at = at, since = CASE WHEN c.attempt > ? THEN at ELSE r.since END,
    attempts = CASE WHEN c.attempt > ? THEN r.attempts ELSE c.attempt END,
    state = CASE WHEN c.attempt > ? THEN 'parked' ELSE 'running' END,
    node = CASE WHEN c.attempt > ? THEN NULL ELSE ? END,
    due_at = CASE WHEN c.attempt > ? THEN NULL ELSE at + ? * INTERVAL '1 millisecond' END
FROM counted AS c, clock WHERE r.id = c.id
RETURNING r.id, r.token, r.run, r.tenant, r.format, r.input, r.carried, c.was_driven, at, r.attempts,
    r.node IS NULL AS parked, signals, cancel_reason, coalesce(deadline_at <= clock_timestamp(), false) AS is_late, c.was_due, c.interrupted, r.retries,
    c.entries, pg_catalog.pg_postmaster_start_time() AS server

WITH /* saga:run.checkpoint */ mine AS MATERIALIZED (SELECT id, signals, cancel_reason, coalesce(deadline_at <= clock_timestamp(), false) AS is_late FROM "public"."saga_run" WHERE id = ? AND token = ? AND node IS NOT NULL AND (? < 0 OR
    (SELECT s.position FROM "public"."saga_step" AS s WHERE s.run_id = id AND s.position = ?) IS NOT NULL) FOR NO KEY UPDATE), added AS (
    INSERT INTO "public"."saga_step" (run_id, position, step, call, mark, format, payload, detail, until, token, at)
    SELECT mine.id, ?, ?, ?, ?, ?, ?, ?,
    clock_timestamp() + ? * INTERVAL '1 millisecond', ?, clock_timestamp() FROM mine
    )
SELECT *, pg_catalog.pg_postmaster_start_time() AS server FROM mine

WITH /* saga:run.checkpoint */ mine AS MATERIALIZED (SELECT id, signals, cancel_reason, coalesce(deadline_at <= clock_timestamp(), false) AS is_late FROM "public"."saga_run" WHERE id = ? AND token = ? AND node IS NOT NULL AND (? < 0 OR
    (SELECT s.position FROM "public"."saga_step" AS s WHERE s.run_id = id AND s.position = ?) IS NOT NULL) FOR NO KEY UPDATE), added AS (
    INSERT INTO "public"."saga_step" (run_id, position, step, call, mark, format, payload, detail, until, token, at)
    SELECT mine.id, ?, ?, ?, ?, ?, ?, ?,
    clock_timestamp() + ? * INTERVAL '1 millisecond', ?, clock_timestamp() FROM mine
    )
SELECT *, pg_catalog.pg_postmaster_start_time() AS server FROM mine

WITH /* saga:run.end */ mine AS (
    UPDATE "public"."saga_run" SET state = ?, node = NULL, result_format = ?, result = ?, error = ?,
        since = CASE WHEN error = ? THEN coalesce(since, clock_timestamp()) ELSE clock_timestamp() END,
        attempts = CASE WHEN ? THEN 0 ELSE attempts END, amid = coalesce(?, amid),
        due_at = clock_timestamp() + ? * INTERVAL '1 millisecond',
        ended_at = CASE WHEN ? THEN clock_timestamp() END
    WHERE (? OR (signals = ? AND coalesce(deadline_at <= clock_timestamp(), false) = ?))
        AND id = ? AND token = ? AND node IS NOT NULL AND (? < 0 OR
    (SELECT s.position FROM "public"."saga_step" AS s WHERE s.run_id = id AND s.position = ?) IS NOT NULL)
    RETURNING id), added AS (
    INSERT INTO "public"."saga_step" (run_id, position, step, call, mark, format, payload, detail, until, token, at)
    SELECT mine.id, ?, ?, ?, ?, ?, ?, ?,
    clock_timestamp() + ? * INTERVAL '1 millisecond', ?, clock_timestamp() FROM mine
    )
SELECT id FROM mine
