package io.sagaspring.run.postgres;

import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.Labels;
import io.sagaspring.run.StorageLimits;
import io.sagaspring.run.StoredValue;
import io.sagaspring.schema.SagaSchema;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Adds entries to the journal, as part of the statement that changes their run. */
final class AddedEntries {

    private final String steps;
    private final LabelRows labels;

    AddedEntries(SagaSchema schema) {
        this.steps = schema.table("saga_step");
        this.labels = new LabelRows(schema);
    }

    /**
     * The form of a statement that adds entries. In a repeated attempt, the entries may already exist: an earlier
     * attempt with the same token wrote them, but its reply was lost. No other owner can have written them. Only a
     * repeated attempt checks for existing entries, because the check would make each write to the journal 10 % slower.
     *
     * @param count the number of entries
     * @param again true if an earlier attempt may have added the entries
     * @param labels true if entries set labels
     */
    record Adding(int count, boolean again, boolean labels) {}

    /** A statement that changes a run and adds entries to its journal. Its text differs for each number of entries. */
    static final class Statement {

        private final String name;
        private final Function<Adding, String> text;
        private final Map<Adding, Sql> made = new ConcurrentHashMap<>();

        Statement(String name, Function<Adding, String> text) {
            this.name = name;
            this.text = text;
        }

        Sql adding(List<JournalEntry> entries, boolean again) {
            return made.computeIfAbsent(
                    new Adding(entries.size(), again, Labels.areSetBy(entries)),
                    adding -> Sql.named(name, text.apply(adding)));
        }
    }

    /**
     * Returns the part of a statement that follows the common table expression {@code mine}, which contains the row of
     * the run. The part is empty if no entry is added. The statement's parameter {@code token} is the run's token.
     *
     * @param moment the SQL expression for the time of writing
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
                                        adding.again() ? "ON CONFLICT (run_id, position) DO NOTHING" : "")
                        + (adding.labels() ? labels.set() : "");
    }

    private static String one(String moment) {
        return """
                SELECT mine.id, :position, :step, :call, :mark, :format, :payload, :detail,
                    %1$s + :pause * INTERVAL '1 millisecond', :token, %1$s FROM mine""".formatted(moment);
    }

    private static String several(int count, String moment) {
        String rows =
                "(:position::integer, :step::text, :call::text, :mark::text, :format::text, :payload::bytea, :detail::text, :pause::bigint)"
                        + ", (:position, :step, :call, :mark, :format, :payload, :detail, :pause)".repeat(count - 1);
        return """
                SELECT mine.id, e.position, e.step, e.call, e.mark, e.format, e.payload, e.detail,
                    %1$s + e.pause * INTERVAL '1 millisecond', :token, %1$s
                FROM mine, (VALUES %2$s) AS e (position, step, call, mark, format, payload, detail, pause)""".formatted(moment, rows);
    }

    static SqlCall bind(SqlCall call, List<JournalEntry> entries) {
        return entries.isEmpty()
                ? call
                : LabelRows.bind(call, Labels.setBy(entries))
                        .each(
                                "position",
                                entries,
                                (statement, index, entry) -> statement.setInt(index, entry.position()))
                        .each("step", entries, (statement, index, entry) -> statement.setString(index, entry.step()))
                        .each(
                                "call",
                                entries,
                                (statement, index, entry) ->
                                        statement.setString(index, entry.call().name()))
                        .each(
                                "mark",
                                entries,
                                (statement, index, entry) ->
                                        statement.setString(index, entry.mark().name()))
                        .each("format", entries, (statement, index, entry) -> {
                            StoredValue value = entry.value();
                            statement.setString(index, value == null ? null : value.format());
                        })
                        .each("payload", entries, (statement, index, entry) -> {
                            StoredValue value = entry.value();
                            statement.setBytes(index, value == null ? null : value.bytes());
                        })
                        .each(
                                "detail",
                                entries,
                                (statement, index, entry) ->
                                        statement.setString(index, StorageLimits.text(entry.detail())))
                        .each(
                                "pause",
                                entries,
                                (statement, index, entry) -> Columns.setMillis(statement, index, entry.pause()));
    }
}
