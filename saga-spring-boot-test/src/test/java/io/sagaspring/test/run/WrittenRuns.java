package io.sagaspring.test.run;

import static io.sagaspring.test.run.BatchedRuns.database;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads everything that is stored about some runs. One query reads the rows of all runs, and another query reads all
 * entries of their journals.
 */
final class WrittenRuns {

    private final Map<Object, List<Map<String, @Nullable Object>>> runs;
    private final Map<Object, List<Map<String, @Nullable Object>>> steps;

    WrittenRuns(List<RunLease> leases) {
        UUID[] ids = leases.stream().map(each -> each.id().value()).toArray(UUID[]::new);
        this.runs = read("SELECT * FROM saga_run WHERE id = ANY (?)", "id", ids);
        this.steps = read("SELECT * FROM saga_step WHERE run_id = ANY (?) ORDER BY position", "run_id", ids);
    }

    private static Map<Object, List<Map<String, @Nullable Object>>> read(String sql, String id, UUID[] ids) {
        return database.jdbc().sql(sql).param(ids).query((row, number) -> columns(row)).list().stream()
                .collect(Collectors.groupingBy(row -> Objects.requireNonNull(row.get(id))));
    }

    Map<String, @Nullable Object> row(RunLease runLease) {
        return Objects.requireNonNull(runs.get(runLease.id().value())).get(0);
    }

    List<Map<String, @Nullable Object>> steps(RunLease runLease) {
        return steps.getOrDefault(runLease.id().value(), List.of());
    }

    /** Returns the differences between the stored data of the two runs. */
    List<String> differences(RunLease alone, RunLease together) {
        List<String> found = new ArrayList<>(differences(row(alone), row(together)));
        List<Map<String, @Nullable Object>> expected = steps(alone);
        List<Map<String, @Nullable Object>> written = steps(together);
        if (expected.size() != written.size()) {
            found.add("%d entries instead of %d".formatted(written.size(), expected.size()));
            return found;
        }
        for (int each = 0; each < expected.size(); each++) {
            found.addAll(differences(expected.get(each), written.get(each)));
            if (!Objects.equals(written.get(each).get("token"), together.token().value())) {
                found.add("token of an entry");
            }
        }
        return found;
    }

    static List<String> differences(Map<String, @Nullable Object> expected, Map<String, @Nullable Object> written) {
        return expected.keySet().stream()
                .filter(column -> !Set.of("id", "run_id", "token").contains(column))
                .filter(column -> !isSame(expected.get(column), written.get(column)))
                .map(column -> "%s is %s instead of %s".formatted(column, written.get(column), expected.get(column)))
                .toList();
    }

    private static boolean isSame(@Nullable Object expected, @Nullable Object written) {
        if (expected instanceof Timestamp one && written instanceof Timestamp other) {
            return Duration.between(one.toInstant(), other.toInstant()).abs().compareTo(Duration.ofMinutes(10)) < 0;
        }
        return Objects.deepEquals(expected, written);
    }

    static Map<String, @Nullable Object> row(RunId id) {
        return database.jdbc()
                .sql("SELECT * FROM saga_run WHERE id = ?")
                .param(id.value())
                .query((row, number) -> columns(row))
                .single();
    }

    private static Map<String, @Nullable Object> columns(ResultSet row) throws SQLException {
        Map<String, @Nullable Object> columns = new LinkedHashMap<>();
        for (int column = 1; column <= row.getMetaData().getColumnCount(); column++) {
            columns.put(row.getMetaData().getColumnName(column), row.getObject(column));
        }
        return columns;
    }
}
