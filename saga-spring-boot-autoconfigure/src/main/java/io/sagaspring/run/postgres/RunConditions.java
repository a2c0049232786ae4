package io.sagaspring.run.postgres;

import io.sagaspring.jdbc.SqlCall.Value;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunState;
import java.sql.Types;
import java.time.Duration;
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

    String withoutRun(RunQuery query, Map<String, Value> values) {
        return page(query, values) + byAge(query, values) + other(query, null, values);
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
        String page = page(query, values)
                .replaceAll("r\\.id (<|>=) (:\\w+)", "(l.name, l.value, l.run_id) $1 (:name, :value, $2)");
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
        Ids ids = Ids.of(query);
        return byId(" AND r.id >= ", "first", ids.first(), Ids.ALL.first(), values)
                + byId(" AND r.id < ", "end", ids.end(), Ids.ALL.end(), values);
    }

    private static String byId(String condition, String parameter, UUID bound, UUID none, Map<String, Value> values) {
        if (bound.equals(none)) {
            return "";
        }
        values.put(parameter, uuid(bound));
        return condition + ":" + parameter;
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

    /**
     * The ids from which and up to which a list reads. An id begins with the time of the start, by the clock of the
     * starting node. So a condition on that time is also a condition on the id, if the clocks differ by less than an
     * hour.
     *
     * @param first the first id
     * @param end the id after the last one
     */
    record Ids(UUID first, UUID end) {

        static final Ids ALL = new Ids(new UUID(0, 0), new UUID(-1, -1));

        private static final Duration SKEW = Duration.ofHours(1);
        private static final long LATEST = (1L << 48) - 1;
        private static final Instant LAST = Instant.ofEpochMilli(LATEST);

        static Ids of(RunQuery query) {
            Instant from = query.startedFrom();
            Instant until = query.startedBefore();
            RunId before = query.before();
            UUID first = from == null ? ALL.first() : at(millis(from) - SKEW.toMillis());
            UUID end = until == null ? ALL.end() : at(millis(until) + SKEW.toMillis());
            return new Ids(first, before == null ? end : earlier(before.value(), end));
        }

        private static long millis(Instant time) {
            return time.isBefore(Instant.EPOCH) ? 0 : time.isAfter(LAST) ? LATEST : time.toEpochMilli();
        }

        private static UUID at(long millis) {
            return millis >= LATEST ? ALL.end() : new UUID(Math.max(0, millis) << 16, 0);
        }

        private static UUID earlier(UUID one, UUID other) {
            return one.toString().compareTo(other.toString()) <= 0 ? one : other;
        }
    }
}
