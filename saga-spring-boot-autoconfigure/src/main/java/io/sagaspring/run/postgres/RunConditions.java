package io.sagaspring.run.postgres;

import io.sagaspring.jdbc.SqlCall.Value;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunState;
import java.sql.Types;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Conditions on the run {@code r} that narrow a list. A condition adds its parameters to the values of the statement. */
final class RunConditions {

    private final String labels;

    RunConditions(String labels) {
        this.labels = labels;
    }

    /** Returns all conditions, except for the key and the states. */
    String of(RunQuery query, Map<String, Value> values) {
        return withoutAge(query, values) + byAge(query, values);
    }

    String withoutAge(RunQuery query, Map<String, Value> values) {
        return run(query, values) + page(query, values) + other(query, null, values);
    }

    String withoutRunAndPage(RunQuery query, Map<String, Value> values) {
        return byAge(query, values) + other(query, null, values);
    }

    /** Returns all conditions, except for the key, the states and one label. */
    String withoutLabel(RunQuery query, String name, Map<String, Value> values) {
        return run(query, values) + byAge(query, values) + other(query, name, values);
    }

    /**
     * Returns the conditions on {@code l}, the row of the label through which a list is read. The condition for the
     * page is a range of the index {@code saga_label_value}. A condition on the id alone would let the planner read the
     * labels of all runs of that page.
     */
    String ofDriver(RunQuery query, Map.Entry<String, String> label, Map<String, Value> values) {
        String name = text("name", label.getKey(), values);
        String value = text("value", label.getValue(), values);
        String page = page(query, values).isEmpty()
                ? ""
                : " AND (l.name, l.value, l.run_id) < (%s, %s, :before)".formatted(name, value);
        return "l.name = %s AND l.value = %s%s".formatted(name, value, page);
    }

    private static String text(String parameter, String text, Map<String, Value> values) {
        values.put(parameter, (statement, index) -> statement.setString(index, text));
        return ":" + parameter;
    }

    private static String run(RunQuery query, Map<String, Value> values) {
        if (query.run() == null) {
            return "";
        }
        values.put("run", run(query));
        return " AND r.run = :run";
    }

    private static String page(RunQuery query, Map<String, Value> values) {
        RunId before = query.before();
        if (before == null) {
            return "";
        }
        values.put("before", uuid(before.value()));
        return " AND r.id < :before";
    }

    private String other(RunQuery query, @Nullable String read, Map<String, Value> values) {
        StringBuilder sql = new StringBuilder(byTenant(query, values));
        String node = query.node();
        if (node != null) {
            sql.append(" AND r.node = ").append(text("node", node, values));
        }
        sql.append(byTime(" AND r.started_at >= ", "from", query.startedFrom(), values));
        sql.append(byTime(" AND r.started_at < ", "until", query.startedBefore(), values));
        int number = 0;
        for (Map.Entry<String, String> label : query.labels().entrySet()) {
            if (!label.getKey().equals(read)) {
                sql.append(" AND EXISTS (SELECT FROM %s AS x WHERE x.run_id = r.id AND x.name = %s AND x.value = %s)"
                        .formatted(
                                labels,
                                text("name" + number, label.getKey(), values),
                                text("value" + number, label.getValue(), values)));
                number++;
            }
        }
        return sql.toString();
    }

    private static String byTime(
            String condition, String parameter, @Nullable Instant time, Map<String, Value> values) {
        if (time == null) {
            return "";
        }
        values.put(
                parameter,
                (statement, index) ->
                        statement.setObject(index, time.atOffset(ZoneOffset.UTC), Types.TIMESTAMP_WITH_TIMEZONE));
        return condition + ":" + parameter;
    }

    private static String byTenant(RunQuery query, Map<String, Value> values) {
        String tenant = query.tenant();
        if (tenant == null) {
            return "";
        }
        return tenant.equals(RunQuery.WITHOUT_TENANT)
                ? " AND r.tenant IS NULL"
                : " AND r.tenant = " + text("tenant", tenant, values);
    }

    private static String byAge(RunQuery query, Map<String, Value> values) {
        if (query.olderThan() == null) {
            return "";
        }
        values.put("age", Columns.millis(query.olderThan()));
        return " AND %s <= (SELECT clock_timestamp() - :age * INTERVAL '1 millisecond')"
                .formatted(RunLists.SINCE.replace("state", "r.state"));
    }

    static Value run(RunQuery query) {
        return (statement, index) -> statement.setString(index, query.run());
    }

    static Value texts(Set<RunState> states) {
        Object[] texts = states.stream().map(RunState::text).toArray();
        return (statement, index) ->
                statement.setArray(index, statement.getConnection().createArrayOf("text", texts));
    }

    static Value uuid(UUID id) {
        return (statement, index) -> statement.setObject(index, id);
    }
}
