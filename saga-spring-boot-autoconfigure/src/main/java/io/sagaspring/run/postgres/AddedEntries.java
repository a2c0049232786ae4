package io.sagaspring.run.postgres;

import io.sagaspring.run.Driven;
import io.sagaspring.run.Entry;
import io.sagaspring.run.Storable;
import io.sagaspring.run.Stored;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** Adds entries to the journal, as a part of the statement that changes their run. */
final class AddedEntries {

    private final String steps;

    AddedEntries(String steps) {
        this.steps = steps;
    }

    /**
     * How many entries are added, and whether some of them may be there: then they were written by this token, and the
     * answer was lost, for nobody else has come so far. To ask each time would cost a tenth of each checkpoint.
     */
    record Adding(int count, boolean again) {}

    /**
     * Returns the part of a statement that follows {@code mine}, the row of the run; nothing if nothing is added.
     *
     * @param moment the expression for the time of writing
     */
    String added(Adding adding, String moment) {
        return adding.count() == 0
                ? ""
                : """
                , added AS (
                    INSERT INTO %s (run_id, position, step, call, mark, format, payload, detail, until, token, at)
                    %s
                    %s)""".formatted(
                                steps,
                                adding.count() == 1 ? one(moment) : several(adding.count(), moment),
                                adding.again() ? "ON CONFLICT (run_id, position) DO NOTHING" : "");
    }

    private static String one(String moment) {
        return "SELECT mine.id, ?, ?, ?, ?, ?, ?, ?, %1$s + ? * INTERVAL '1 millisecond', ?, %1$s FROM mine"
                .formatted(moment);
    }

    private static String several(int count, String moment) {
        String rows = "(?::integer, ?::text, ?::text, ?::text, ?::text, ?::bytea, ?::text, ?::bigint, ?::bigint)"
                + ", (?, ?, ?, ?, ?, ?, ?, ?, ?)".repeat(count - 1);
        return """
                SELECT mine.id, e.position, e.step, e.call, e.mark, e.format, e.payload, e.detail,
                    %1$s + e.pause * INTERVAL '1 millisecond', e.token, %1$s
                FROM mine, (VALUES %2$s) AS e (position, step, call, mark, format, payload, detail, pause, token)""".formatted(moment, rows);
    }

    static void set(PreparedStatement statement, int from, Driven driven, List<Entry> entries) throws SQLException {
        int next = from;
        for (Entry entry : entries) {
            next = setEntry(statement, next, driven, entry);
        }
    }

    private static int setEntry(PreparedStatement statement, int from, Driven driven, Entry entry) throws SQLException {
        Stored value = entry.value();
        statement.setInt(from, entry.position());
        statement.setString(from + 1, entry.step());
        statement.setString(from + 2, entry.call().name());
        statement.setString(from + 3, entry.mark().name());
        statement.setString(from + 4, value == null ? null : value.format());
        statement.setBytes(from + 5, value == null ? null : value.bytes());
        statement.setString(from + 6, Storable.text(entry.detail()));
        Columns.setMillis(statement, from + 7, entry.pause());
        statement.setLong(from + 8, driven.token().value());
        return from + 9;
    }
}
