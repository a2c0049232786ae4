package io.sagaspring.dashboard;

import io.sagaspring.dashboard.PayloadView.Kind;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.run.StoredValue;
import io.sagaspring.schema.SagaSchema;
import java.security.Principal;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import tools.jackson.databind.JsonNode;

/** Reads the values that a run has stored: its input, the results of its steps, its signals, and its result. */
final class PayloadReading {

    private static final Logger logger = LoggerFactory.getLogger(PayloadReading.class);

    private static final int MOST = 100;
    private static final int MOST_BYTES = 128 * 1024;
    private static final int MOST_CHARACTERS = 4_000;

    /** Matches the names of the entries that the engine writes into the journal of a saga for itself. */
    private static final String BOOKKEEPING = "^saga:|:(failed|runs|fired)$|:undo(:|$)";

    private static final String COLUMNS =
            "octet_length(%1$s) AS size, CASE WHEN octet_length(%1$s) <= %2$d THEN %1$s END AS payload";

    private final DashboardSources sources;
    private final OwnTransactions own;
    private final PayloadVisibility limit;
    private final ObjectProvider<PayloadView> views;

    PayloadReading(DashboardSources sources, OwnTransactions own, PayloadVisibility limit) {
        this.sources = sources;
        this.own = own;
        this.limit = limit;
        this.views = sources.provider(PayloadView.class);
    }

    /** The values of a run. */
    record Found(List<Item> items, boolean more) {}

    /**
     * A value.
     *
     * @param text the value as text, possibly truncated, or null if it is hidden, too large or unreadable
     * @param length the length of the whole text in characters, or of the stored value in bytes if there is no text
     */
    record Item(
            String kind,
            String name,
            @Nullable Instant at,
            String visibility,
            @Nullable String text,
            long length) {}

    private record Stored(
            Kind kind,
            String name,
            @Nullable Instant at,
            long size,
            @Nullable StoredValue value) {

        static Stored of(Row row) throws SQLException {
            byte @Nullable [] bytes = row.bytes("payload");
            return new Stored(
                    Kind.valueOf(row.text("kind")),
                    row.text("name"),
                    row.instantOrNull("at"),
                    row.number("size"),
                    bytes == null ? null : new StoredValue(row.text("format"), bytes));
        }
    }

    @Nullable
    Object find(DashboardQuery query, @Nullable Principal person) {
        Runs runs = sources.find(Runs.class);
        SagaSchema schema = sources.find(SagaSchema.class);
        if (runs == null || schema == null) {
            return null;
        }
        RunId id = query.read("id", RunId::of, "Use the id of a run, as the list shows it.");
        if (id == null) {
            throw ProblemException.badRequest("The parameter 'id' is missing. Use the id of a run.");
        }
        RunView run = runs.find(id).orElseThrow(() -> ProblemException.notFound("There is no run with this id."));
        List<Stored> found = own.single(connection -> select(schema)
                .on(connection)
                .with("id", id.value())
                .with("own", isSaga(run) ? BOOKKEEPING : "")
                .list(Stored::of));
        PayloadView view = views.getIfAvailable(() -> (payload, asking) -> limit);
        List<Item> items = found.stream()
                .limit(MOST)
                .map(each -> shown(
                        each,
                        view.visibilityOf(
                                        new PayloadView.Payload(run.run(), run.tenant(), each.kind(), each.name()),
                                        person)
                                .atMost(limit),
                        value -> sources.inTenant(
                                run.tenant(), () -> (JsonNode) runs.payloads().read(value, JsonNode.class))))
                .toList();
        return new Found(items, found.size() > MOST);
    }

    /** Recognizes a saga by its first entry, because this node may lack its code. */
    private static boolean isSaga(RunView run) {
        return run.steps().stream().anyMatch(each -> each.step().startsWith("saga:"));
    }

    /** Reads a value by the application's codec, so that the dashboard also shows values that are stored encrypted. */
    @FunctionalInterface
    private interface Codec {
        @Nullable
        JsonNode read(StoredValue value);
    }

    private static Sql select(SagaSchema schema) {
        return Sql.named("dashboard.payloads", """
                SELECT * FROM (
                    (SELECT 0 AS part, 'INPUT' AS kind, '' AS name, started_at AS at, format, %4$s
                    FROM %1$s WHERE id = :id)
                    UNION ALL
                    (SELECT 1, 'STEP', step, at, coalesce(format, ''), %5$s
                    FROM %2$s WHERE run_id = :id AND payload IS NOT NULL AND call <> 'SIGNAL' AND (:own::text = '' OR step !~ :own::text)
                    ORDER BY position LIMIT %7$d)
                    UNION ALL
                    (SELECT 2, 'SIGNAL', name, at, format, %5$s
                    FROM %3$s WHERE run_id = :id ORDER BY at LIMIT %7$d)
                    UNION ALL
                    (SELECT 3, 'RESULT', '', ended_at, coalesce(result_format, ''), %6$s
                    FROM %1$s WHERE id = :id AND result IS NOT NULL)) AS found
                ORDER BY part, at LIMIT %7$d""".formatted(
                        schema.table("saga_run"),
                        schema.table("saga_step"),
                        schema.table("saga_signal"),
                        COLUMNS.formatted("input", MOST_BYTES),
                        COLUMNS.formatted("payload", MOST_BYTES),
                        COLUMNS.formatted("result", MOST_BYTES),
                        MOST + 1));
    }

    private static Item shown(Stored stored, PayloadVisibility visibility, Codec codec) {
        String text = visibility == PayloadVisibility.HIDDEN ? null : text(stored.value(), visibility, codec);
        return new Item(
                stored.kind().name().toLowerCase(Locale.ROOT),
                stored.name(),
                stored.at(),
                visibility.name().toLowerCase(Locale.ROOT),
                text == null ? null : truncated(text),
                text == null ? stored.size() : text.length());
    }

    private static String truncated(String text) {
        int end = Math.min(text.length(), MOST_CHARACTERS);
        boolean within = end < text.length() && Character.isHighSurrogate(text.charAt(end - 1));
        return text.substring(0, within ? end - 1 : end);
    }

    private static @Nullable String text(@Nullable StoredValue stored, PayloadVisibility visibility, Codec codec) {
        if (stored == null) {
            return null;
        }
        try {
            JsonNode value = Objects.requireNonNull(codec.read(stored));
            return (visibility == PayloadVisibility.REDACTED ? Redaction.of(value) : value).toPrettyString();
        } catch (RuntimeException unreadable) {
            // The codec is the application's, and may throw any exception. One value must not hide the others.
            logger.debug("Could not read a value of a run for the dashboard", unreadable);
            return null;
        }
    }
}
