package io.sagaspring.run.postgres;

import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.run.queue.QueueLimits;
import io.sagaspring.run.queue.StartRate;
import io.sagaspring.schema.SagaSchema;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The parts of statements about rates: the columns of {@code saga_queue}, and the rules of {@link StartRate} in SQL. */
final class RateRows {

    /**
     * The columns of a queue's two rates, for the whole queue and for each key. {@link #VALUES} has their parameters.
     */
    static final String COLUMNS =
            "starts, starts_period, starts_step, starts_early, starts_burst, each_starts, each_period, each_step, each_early, each_burst";

    static final String VALUES =
            ":starts, :startsPeriod, :startsStep, :startsEarly, :startsBurst, :eachStarts, :eachPeriod, :eachStep, :eachEarly, :eachBurst";

    static final String SET = "(%s) = (%s)".formatted(COLUMNS, VALUES);

    /** The value of {@code queue_key} in the row for the queue itself. */
    static final String OF_QUEUE = "' '";

    private static final int MOST_PURGED = 10_000;

    /**
     * The time for which a row must be unused before it is removed. It is longer than any statement that reads the
     * clock and then uses the row.
     */
    private static final String UNUSED_FOR = "10 minutes";

    private final String queues;
    private final String rates;

    RateRows(SagaSchema schema) {
        this.queues = schema.table("saga_queue");
        this.rates = schema.table("saga_rate");
    }

    /** Returns the columns of the settings that {@link #locked} and {@link #blocksKey} need. */
    static String settings() {
        return """
                starts_step * INTERVAL '1 microsecond' AS step, starts_early * INTERVAL '1 microsecond' AS early,
                    each_step * INTERVAL '1 microsecond' AS each_step, each_early * INTERVAL '1 microsecond' AS each_early""";
    }

    /**
     * Returns the common table expressions that lock the row of a queue with a rate: {@code rate} contains the number
     * of runs that may begin now, and the time until which the rate is used up. That time is at least the current time.
     * Under the lock, the statement sees the newest version of the row.
     */
    String locked() {
        return """
                rate_row AS MATERIALIZED (
                    SELECT used_until FROM %s WHERE queue = :queue AND queue_key = %s AND (SELECT step FROM settings) IS NOT NULL
                    FOR UPDATE),
                rate AS MATERIALIZED (
                    SELECT w.used_until, s.step,
                        floor(extract(epoch FROM at + s.early - w.used_until) / extract(epoch FROM s.step)) + 1 AS allowed
                    FROM settings AS s, clock, LATERAL (SELECT greatest(r.used_until, at) AS used_until FROM rate_row AS r) AS w)""".formatted(rates, OF_QUEUE);
    }

    /**
     * Returns the largest number of runs that may begin, as the limit of a query. A queue that has a rate, but no row
     * for the rate, begins no run.
     */
    static String allowed(Integer slots) {
        return "least(%1$s, CASE WHEN (SELECT step FROM settings) IS NULL THEN %1$s ELSE greatest(0, coalesce((SELECT allowed FROM rate), 0)) END)"
                .formatted(slots);
    }

    /** Returns a condition that is true if the rate of a key allows no run now, in this statement's snapshot. */
    String blocksKey(String key) {
        return """
                EXISTS (SELECT FROM %s AS b, settings AS s, clock WHERE b.queue = :queue AND b.queue_key = %s
                    AND b.used_until - s.each_early > at)""".formatted(rates, key);
    }

    /** Returns a statement that counts one start for each key in {@code locked} whose rate allows it, in the order of the keys. */
    String counted() {
        return """
                INSERT INTO %s AS b (queue, queue_key, used_until)
                SELECT :queue, l.queue_key, at + s.each_step FROM locked AS l, settings AS s, clock
                WHERE s.each_step IS NOT NULL ORDER BY l.queue_key
                ON CONFLICT (queue, queue_key) DO UPDATE
                    SET used_until = greatest(b.used_until, (SELECT at FROM clock)) + (SELECT each_step FROM settings)
                    WHERE b.used_until - (SELECT each_early FROM settings) <= (SELECT at FROM clock)
                RETURNING queue_key""".formatted(rates);
    }

    /** Returns a statement that counts the starts of the runs in {@code begun}. */
    String used() {
        return """
                UPDATE %s AS r SET used_until = w.used_until + (SELECT count(*) FROM begun) * w.step
                FROM rate AS w WHERE r.queue = :queue AND r.queue_key = %s AND EXISTS (SELECT FROM begun)""".formatted(rates, OF_QUEUE);
    }

    /** Returns the time at which the rate of the queue {@code q.queue} allows the next run, or null if the queue has no rate. */
    String nextStart() {
        return """
                (SELECT b.used_until - s.starts_early * INTERVAL '1 microsecond' FROM %s AS b
                    WHERE s.starts IS NOT NULL AND b.queue = q.queue AND b.queue_key = %s)""".formatted(rates, OF_QUEUE);
    }

    /**
     * Returns a statement that moves {@code used_until} back if the time is later than the current limits allow, even
     * after a burst. Such a time comes from an earlier limit, or from before the clock was set back.
     *
     * @param which the condition for the queues {@code s}
     * @param locking {@code SKIP LOCKED} to leave out locked rows, or an empty text to wait for them
     */
    String shortened(String which, String locking) {
        return """
                WITH %s, beyond AS (
                    SELECT r.queue, r.queue_key, l.latest FROM %s AS s JOIN %s AS r ON r.queue = s.queue, clock, LATERAL (
                        SELECT at + INTERVAL '1 microsecond' * CASE r.queue_key WHEN %s THEN s.starts_early + s.starts_step
                            ELSE s.each_early + s.each_step END AS latest) AS l
                    WHERE %s AND r.used_until > l.latest FOR UPDATE OF r %s)
                UPDATE %3$s AS r SET used_until = b.latest FROM beyond AS b WHERE r.queue = b.queue AND r.queue_key = b.queue_key""".formatted(RunTable.CLOCK, queues, rates, OF_QUEUE, which, locking);
    }

    /** Returns a statement that adds the row of a queue. The row stays if the queue loses its rate. */
    String added() {
        return "INSERT INTO %s (queue, queue_key, used_until) VALUES (:queue, %s, clock_timestamp()) ON CONFLICT DO NOTHING"
                .formatted(rates, OF_QUEUE);
    }

    /**
     * Returns a statement that removes the rows of keys for which no run has begun for a while. It skips locked rows.
     */
    String purged() {
        return """
                DELETE FROM %1$s WHERE (queue, queue_key) IN (
                    SELECT queue, queue_key FROM %1$s WHERE queue = ANY (:queues::text[]) AND queue_key <> %2$s
                        AND used_until < clock_timestamp() - INTERVAL '%3$s'
                    LIMIT %4$s FOR UPDATE SKIP LOCKED)""".formatted(rates, OF_QUEUE, UNUSED_FOR, MOST_PURGED);
    }

    static @Nullable StartRate rate(Row row, String starts, String prefix) throws SQLException {
        return row.isNull(starts)
                ? null
                : new StartRate(
                        row.integer(starts),
                        Duration.of(row.number(prefix + "_period"), ChronoUnit.MICROS),
                        row.integer(prefix + "_burst"));
    }

    static SqlCall bind(SqlCall call, QueueLimits limits) {
        return bind(bind(call, "starts", "starts", limits.starts()), "eachStarts", "each", limits.startsForEach());
    }

    private static SqlCall bind(SqlCall call, String starts, String prefix, @Nullable StartRate rate) {
        return call.with(starts, number(rate == null ? null : rate.starts()))
                .with(prefix + "Burst", number(rate == null ? null : rate.burst()))
                .with(prefix + "Period", micros(rate == null ? null : rate.per()))
                .with(prefix + "Step", micros(rate == null ? null : rate.step()))
                .with(prefix + "Early", micros(rate == null ? null : rate.tolerance()));
    }

    private static SqlCall.Value number(@Nullable Integer number) {
        return (statement, index) -> statement.setObject(index, number, Types.INTEGER);
    }

    private static SqlCall.Value micros(@Nullable Duration duration) {
        Long micros = duration == null ? null : TimeUnit.MICROSECONDS.convert(duration);
        return (statement, index) -> statement.setObject(index, micros, Types.BIGINT);
    }
}
