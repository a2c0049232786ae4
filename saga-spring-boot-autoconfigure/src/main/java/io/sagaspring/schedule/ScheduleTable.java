package io.sagaspring.schedule;

import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.jdbc.SqlCall.Value;
import io.sagaspring.run.RunId;
import io.sagaspring.schedule.ScheduleRow.Change;
import io.sagaspring.schedule.ScheduleRow.Locked;
import io.sagaspring.schedule.ScheduleRow.WaitingFiring;
import io.sagaspring.schedule.ScheduleState.Pause;
import io.sagaspring.schedule.ScheduleState.Skips;
import io.sagaspring.schedule.ScheduleStore.Known;
import io.sagaspring.schedule.ScheduleStore.Look;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Holds the statements about schedules. */
final class ScheduleTable {

    private static final String COLUMNS = """
            s.name, s.run, s.spec, s.zone, s.missed, s.missed_window, s.overlap, s.queue, s.version, s.next_at, s.last_at, s.fired_at,
            s.last_run, s.queued_at, s.waits, s.skipped, s.skipped_why, s.skipped_at, s.paused_at, s.paused_by, s.paused_why, s.changed_at,
            s.changed_by""";

    private static final String MINE = """
            s.name = ANY (:names::text[]) AND s.run = ANY (:runs::text[]) AND s.paused_at IS NULL
            AND (s.queue IS NULL OR s.queue = ANY (:queues::text[]))""";

    private final Sql now = Sql.named("schedule.now", "SELECT clock_timestamp() AS now");
    private final Sql insert;
    private final Sql look;
    private final Sql lockDue;
    private final Sql lock;
    private final Sql earliest;
    private final Sql write;
    private final Sql add;
    private final Sql drop;
    private final Sql list;
    private final Sql remove;

    ScheduleTable(SagaSchema schema) {
        String schedules = schema.table("saga_schedule");
        String firings = schema.table("saga_schedule_firing");
        String locked = "SELECT %s, clock_timestamp() AS now FROM %s AS s ".formatted(COLUMNS, schedules);
        this.earliest = Sql.named("schedule.earliest-firing", """
                SELECT DISTINCT ON (name) name, at, triggered, previous, asked_by FROM %s WHERE name = ANY (:names::text[])
                ORDER BY name, at""".formatted(firings));
        this.insert = Sql.named("schedule.insert", """
                INSERT INTO %s (name, run, spec, zone, missed, missed_window, overlap, queue, next_at, changed_at, changed_by)
                VALUES (:name, :run, :spec, :zone, :missed, :window, :overlap, :queue, :next, clock_timestamp(), :by)
                ON CONFLICT DO NOTHING""".formatted(schedules));
        this.look = Sql.named("schedule.look", """
                SELECT clock_timestamp() AS now, bool_or(s.waits) AS waits,
                    floor(extract(epoch FROM min(s.next_at) - clock_timestamp()) * 1000)::bigint AS millis
                FROM %s AS s WHERE %s
                    AND (s.next_at <= (SELECT clock_timestamp() + :within * INTERVAL '1 millisecond') OR s.waits)""".formatted(schedules, MINE));
        this.lockDue = Sql.named("schedule.lock-due", locked + """
                WHERE %s AND (s.next_at <= (SELECT clock_timestamp()) OR s.waits)
                ORDER BY s.next_at, s.name LIMIT :limit FOR NO KEY UPDATE OF s SKIP LOCKED""".formatted(MINE));
        this.lock = Sql.named("schedule.lock", locked + "WHERE s.name = :name FOR NO KEY UPDATE OF s");
        this.write = Sql.named("schedule.write", """
                UPDATE %s SET run = :run, spec = :spec, zone = :zone, missed = :missed, overlap = :overlap,
                    missed_window = :window, queue = :queue, next_at = :next, last_at = :last, fired_at = :fired,
                    last_run = :lastRun, queued_at = :queued, waits = :waits, skipped = :skipped, skipped_why = :skippedWhy,
                    skipped_at = :skippedAt, paused_at = :pausedAt, paused_by = :pausedBy, paused_why = :pausedWhy,
                    changed_at = :changedAt, changed_by = :changedBy, version = version + 1
                WHERE name = :name AND version = :version""".formatted(schedules));
        this.add = Sql.named("schedule.add-firing", """
                INSERT INTO %s (name, at, triggered, previous, asked_by)
                VALUES (:name, :at, :triggered, :previous, :by) ON CONFLICT DO NOTHING""".formatted(firings));
        this.drop =
                Sql.named("schedule.drop-firing", "DELETE FROM %s WHERE name = :name AND at = :at".formatted(firings));
        this.list = Sql.named("schedule.list", "SELECT %s FROM %s AS s ORDER BY s.name".formatted(COLUMNS, schedules));
        this.remove = Sql.named("schedule.remove", "DELETE FROM %s WHERE name = :name".formatted(schedules));
    }

    Instant now(Connection connection) throws SQLException {
        return now.on(connection).first(row -> row.instant("now")).orElseThrow();
    }

    /** Adds a schedule. Returns false if it is already stored. */
    boolean insert(Connection connection, String name, ScheduleTerms terms, ScheduleState state, String by)
            throws SQLException {
        return terms(insert.on(connection).with("name", name), terms)
                .with("next", time(state.nextAt()))
                .with("by", by)
                .changesOne();
    }

    private static SqlCall terms(SqlCall call, ScheduleTerms terms) {
        return call.with("run", terms.run())
                .with("spec", terms.spec().text())
                .with("zone", terms.spec().zoneText())
                .with("missed", terms.missed().name())
                .with("window", terms.missedWindow().toMillis())
                .with("overlap", terms.overlap().name())
                .with("queue", terms.queue());
    }

    private static SqlCall mine(SqlCall call, Known known) {
        return call.texts("names", known.names()).texts("runs", known.runs()).texts("queues", known.queues());
    }

    Look look(Connection connection, Known known, Duration within) throws SQLException {
        return mine(look.on(connection), known)
                .with("within", within.toMillis())
                .first(row -> new Look(
                        row.instant("now"),
                        row.isNull("millis") ? null : Duration.ofMillis(row.number("millis")),
                        row.is("waits")))
                .orElseThrow();
    }

    /** Locks schedules that are due or wait for the end of a run. Leaves out those that another node has locked. */
    List<Locked> lockDue(Connection connection, Known known, int limit) throws SQLException {
        return withWaiting(
                connection,
                mine(lockDue.on(connection), known).with("limit", limit).list(ScheduleTable::locked));
    }

    @Nullable
    Locked lock(Connection connection, String name) throws SQLException {
        return withWaiting(connection, lock.on(connection).with("name", name).list(ScheduleTable::locked)).stream()
                .findFirst()
                .orElse(null);
    }

    /**
     * Adds to each schedule its earliest waiting firing. A separate statement reads the firings under the lock, because
     * the locking statement may still see a firing that another node has already started.
     */
    private List<Locked> withWaiting(Connection connection, List<Locked> locked) throws SQLException {
        List<String> names = locked.stream()
                .filter(each -> each.row().state().waits())
                .map(each -> each.row().name())
                .toList();
        if (names.isEmpty()) {
            return locked;
        }
        Map<String, WaitingFiring> waiting = new HashMap<>();
        earliest.on(connection)
                .texts("names", names)
                .visit(List.of(row -> waiting.put(
                        row.text("name"),
                        new WaitingFiring(
                                row.instant("at"),
                                row.is("triggered"),
                                row.instantOrNull("previous"),
                                row.text("asked_by")))));
        return locked.stream()
                .map(each -> new Locked(each.row(), waiting.get(each.row().name()), each.now()))
                .toList();
    }

    /** Writes schedules. Returns false for each whose version has changed since it was read. */
    List<Boolean> write(Connection connection, List<ScheduleRow> rows) throws SQLException {
        return SqlCall.changeOneEach(
                rows.stream().map(row -> writing(connection, row)).toList());
    }

    private SqlCall writing(Connection connection, ScheduleRow row) {
        ScheduleState state = row.state();
        Pause pause = state.pause();
        RunId lastRun = state.lastRun();
        UUID run = lastRun == null ? null : lastRun.value();
        return terms(write.on(connection), row.terms())
                .with("name", row.name())
                .with("version", row.version())
                .with("next", time(state.nextAt()))
                .with("last", time(state.lastAt()))
                .with("fired", time(state.firedAt()))
                .with("lastRun", (statement, index) -> statement.setObject(index, run, Types.OTHER))
                .with("queued", time(state.queuedAt()))
                .with("waits", state.waits())
                .with("skipped", state.skips().count())
                .with("skippedWhy", state.skips().why())
                .with("skippedAt", time(state.skips().at()))
                .with("pausedAt", time(pause == null ? null : pause.at()))
                .with("pausedBy", pause == null ? null : pause.by())
                .with("pausedWhy", pause == null ? null : pause.why())
                .with("changedAt", time(row.change().at()))
                .with("changedBy", row.change().by());
    }

    void add(Connection connection, String name, List<WaitingFiring> waiting) throws SQLException {
        for (WaitingFiring each : waiting) {
            int unused = add.on(connection)
                    .with("name", name)
                    .with("at", time(each.at()))
                    .with("triggered", each.triggered())
                    .with("previous", time(each.previous()))
                    .with("by", each.by())
                    .update();
        }
    }

    boolean drop(Connection connection, String name, WaitingFiring waiting) throws SQLException {
        return drop.on(connection)
                .with("name", name)
                .with("at", time(waiting.at()))
                .changesOne();
    }

    List<ScheduleRow> list(Connection connection) throws SQLException {
        return list.on(connection).list(ScheduleTable::row);
    }

    boolean remove(Connection connection, String name) throws SQLException {
        return remove.on(connection).with("name", name).changesOne();
    }

    private static Value time(@Nullable Instant instant) {
        return (statement, index) -> statement.setObject(
                index, instant == null ? null : instant.atOffset(ZoneOffset.UTC), Types.TIMESTAMP_WITH_TIMEZONE);
    }

    private static Locked locked(Row row) throws SQLException {
        return new Locked(row(row), null, row.instant("now"));
    }

    private static ScheduleRow row(Row row) throws SQLException {
        Instant pausedAt = row.instantOrNull("paused_at");
        return new ScheduleRow(
                row.text("name"),
                new ScheduleTerms(
                        row.text("run"),
                        ScheduleSpec.of(row.text("spec"), row.textOrNull("zone")),
                        Missed.valueOf(row.text("missed")),
                        Duration.ofMillis(row.number("missed_window")),
                        Overlap.valueOf(row.text("overlap")),
                        row.textOrNull("queue")),
                new ScheduleState(
                        row.instantOrNull("next_at"),
                        row.instantOrNull("last_at"),
                        row.instantOrNull("fired_at"),
                        row.isNull("last_run") ? null : new RunId(row.uuid("last_run")),
                        row.instantOrNull("queued_at"),
                        row.is("waits"),
                        new Skips(
                                row.number("skipped"), row.textOrNull("skipped_why"), row.instantOrNull("skipped_at")),
                        pausedAt == null ? null : new Pause(pausedAt, row.text("paused_by"), row.text("paused_why"))),
                row.number("version"),
                new Change(row.instant("changed_at"), row.text("changed_by")));
    }
}
