package io.sagaspring.run.postgres;

import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.schema.SagaSchema;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The parts of statements that write the labels of a run. They are added only to the statement of a change that has labels. */
final class LabelRows {

    /**
     * The labels that a statement writes. Each column is one array parameter, so the text of the statement does not
     * depend on the number of labels.
     */
    private static final String LABELS = "unnest(:labelNames::text[], :labelValues::text[]) AS l (name, value)";

    private final String table;

    LabelRows(SagaSchema schema) {
        this.table = schema.table("saga_label");
    }

    /**
     * Returns a statement that starts a run and writes its labels. A start that finds an existing run inserts no row, and so writes no
     * label.
     *
     * @param insert the statement that inserts the run and returns its id, token and time
     */
    String startedBy(String insert) {
        return """
                WITH started AS (%s), labelled AS (
                    INSERT INTO %s (run_id, name, value) SELECT started.id, l.name, l.value FROM started, %s)
                SELECT id, token, started_at FROM started""".formatted(insert, table, LABELS);
    }

    /**
     * Returns a statement that gives a run exactly these labels. Execute it after the statement that has locked the run's row: only a later
     * snapshot contains the labels of another start for which that statement has waited.
     */
    String exactly() {
        return """
                WITH unlabelled AS (
                    DELETE FROM %1$s AS l WHERE l.run_id = :id AND l.name <> ALL (:labelNames::text[]))
                INSERT INTO %1$s (run_id, name, value) SELECT :id, l.name, l.value FROM %2$s
                ON CONFLICT (run_id, name) DO UPDATE SET value = excluded.value""".formatted(table, LABELS);
    }

    /** Returns the part of a statement that sets labels of {@code mine}, the row of the run. */
    String set() {
        return """
                , labelled AS (
                    INSERT INTO %s (run_id, name, value) SELECT mine.id, l.name, l.value FROM mine, %s
                    ON CONFLICT (run_id, name) DO UPDATE SET value = excluded.value)""".formatted(table, LABELS);
    }

    /**
     * Returns an expression for the labels of the run {@code r}, one per line. A name contains no equals sign, and a
     * value contains no line break, so {@link #read} can separate them.
     */
    String of() {
        return "(SELECT string_agg(l.name || '=' || l.value, chr(10)) FROM %s AS l WHERE l.run_id = r.id)"
                .formatted(table);
    }

    /** Reads the labels that {@link #of} returns. */
    static Map<String, String> read(@Nullable String lines) {
        if (lines == null) {
            return Map.of();
        }
        SortedMap<String, String> labels = new TreeMap<>();
        lines.lines().forEach(line -> {
            int end = line.indexOf('=');
            labels.put(line.substring(0, end), line.substring(end + 1));
        });
        return Collections.unmodifiableMap(labels);
    }

    static SqlCall bind(SqlCall call, Map<String, String> labels) {
        return labels.isEmpty() ? call : bindExactly(call, labels);
    }

    /** Binds the labels of {@link #exactly}, of which there may be none. */
    static SqlCall bindExactly(SqlCall call, Map<String, String> labels) {
        return call.texts("labelNames", labels.keySet()).texts("labelValues", labels.values());
    }
}
