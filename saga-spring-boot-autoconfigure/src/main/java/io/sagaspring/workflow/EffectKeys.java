package io.sagaspring.workflow;

import io.sagaspring.claim.Claim;
import io.sagaspring.database.Database;
import io.sagaspring.database.Databases;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.LogText;
import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.payload.PayloadException;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.tenant.Tenants;
import java.lang.reflect.Type;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The effect keys under which steps have taken effect. A key is written in the transaction of the step, so that the key
 * and the step's changes are committed together or not at all.
 *
 * @since 0.1.0
 */
public final class EffectKeys {

    private final Databases databases;
    private final PayloadCodec codec;
    private final String table;
    private final Sql find;
    private final Sql purge;
    private final Sql writeClaimed;
    private final Map<EntityTable, Sql> writes = new ConcurrentHashMap<>();
    private final Duration retention;
    private final Tenants tenants;

    /**
     * Creates the store of the keys.
     *
     * @param schema the schema that holds the table
     * @param databases the databases that have the table; they also supply the current tenant, because two tenants can
     *     use the same key for different effects
     * @param codec the codec for the results
     * @param retention the time after which a key expires
     */
    public EffectKeys(SagaSchema schema, Databases databases, PayloadCodec codec, Duration retention) {
        this.tenants = databases.tenants();
        this.databases = databases;
        this.codec = codec;
        this.retention = retention;
        this.table = schema.table("saga_effect_key");
        this.find = Sql.named("effect.find", """
                SELECT entity, entity_id, workflow, step, requester, status, format, result FROM %s
                WHERE effect_key = :key AND expires_at > clock_timestamp()""".formatted(table));
        this.purge = Fragments.purge(
                "effect.purge", table, "effect_key", "expires_at", "expires_at <= (SELECT clock_timestamp())");
        this.writeClaimed = write(":id");
    }

    /**
     * Deletes expired keys of the home database.
     *
     * @param limit the greatest number of keys to delete
     * @return the number of deleted keys
     */
    public int purge(int limit) {
        return purge(databases.home(), limit);
    }

    /**
     * Deletes expired keys of a database.
     *
     * @param database the database
     * @param limit the greatest number of keys to delete
     * @return the number of deleted keys
     */
    public int purge(Database database, int limit) {
        return database.own()
                .single(connection -> purge.on(connection).with("limit", limit).update());
    }

    /** Refuses a key whose result type the codec cannot read back. Called before the step runs. */
    void requireReadable(EffectKey key) {
        Type type = key.result();
        String why = type == null ? null : codec.whyUnreadable(type);
        if (why != null) {
            throw new PayloadException(why, null);
        }
    }

    /**
     * Finds the outcome that has been recorded under the request's key.
     *
     * @return the outcome of the first call, or empty if no step has taken effect under the key
     * @throws EffectKeyReusedException if another step, entity or requester has used the key
     */
    Optional<TransitionOutcome> find(TransitionRequest request, EffectKey key, Workflow workflow, Object id) {
        String stored = tenants.qualified(key.value());
        Optional<Effect> found = workflow.table().own().single(connection -> find(connection, stored));
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Effect before = found.get();
        if (!before.isOf(request, workflow.table(), id)) {
            throw new EffectKeyReusedException(key, request.on(workflow.table().text(id)), before.sentence());
        }
        return Optional.of(new TransitionOutcome.Completed(before.status(), result(key, before)));
    }

    private Optional<Effect> find(Connection connection, String key) throws SQLException {
        return find.on(connection)
                .with("key", key)
                .first(row -> new Effect(
                        row.text("entity"),
                        row.text("entity_id"),
                        row.text("workflow"),
                        row.text("step"),
                        row.text("requester"),
                        row.text("status"),
                        row.textOrNull("format"),
                        row.bytes("result")));
    }

    private @Nullable Object result(EffectKey key, Effect before) {
        byte[] stored = before.result();
        Type type = key.result();
        if (stored == null || type == null) {
            return null;
        }
        if (!codec.format().equals(before.format())) {
            throw new PayloadException(
                    "The result under effect key '%s' was stored in format '%s', but this application's codec reads '%s'. Provide a PayloadCodec that reads both formats."
                            .formatted(key, before.format(), codec.format()),
                    null);
        }
        return codec.read(stored, type);
    }

    /** The row of a step that has taken effect. */
    @SuppressWarnings("ArrayRecordComponent") // The records are never compared.
    private record Effect(
            String entity,
            String id,
            String workflow,
            String step,
            String requester,
            String status,
            @Nullable String format,
            byte @Nullable [] result) {

        boolean isOf(TransitionRequest request, EntityTable table, Object asked) {
            return workflow.equals(request.workflow())
                    && step.equals(request.step())
                    && requester.equals(request.requester().name())
                    && entity.equals(table.name())
                    && table.isIdOf(id, asked);
        }

        String sentence() {
            return "step '%s' of workflow '%s' on entity %s for %s"
                    .formatted(step, workflow, LogText.of(id), requester);
        }
    }

    /**
     * The row for the effect key. The transaction of the step writes this row in addition to the step's other changes.
     *
     * @param run the call of the step
     * @param key the key that the caller has passed
     * @param stored the action's result as bytes, or null if the callers need none
     * @param result the action's result, as each call with the key gets it
     */
    @SuppressWarnings("ArrayRecordComponent") // The records are never compared.
    record Note(
            StepRun run,
            EffectKey key,
            byte @Nullable [] stored,
            @Nullable Object result) {}

    /**
     * Prepares the row for the request's key.
     *
     * @return the row, or null if the request has no key
     * @throws PayloadException if the codec cannot write the result, or cannot read it back
     */
    @Nullable
    Note note(StepRun run, @Nullable Object value) {
        EffectKey key = run.request().effectKey();
        if (key == null) {
            return null;
        }
        Type type = key.result();
        if (type == null) {
            return new Note(run, key, null, null);
        }
        byte[] stored = codec.write(value);
        // Read the stored result back, so that the first call gets the same value as later calls.
        return new Note(run, key, stored, codec.read(stored, type));
    }

    /** Writes a key in the transaction of the step. Returns false if another call has taken effect under the key. */
    boolean write(Connection connection, Note note) throws SQLException {
        StepRun run = note.run();
        EntityTable entity = run.table();
        Claim claim = run.claim();
        SqlCall call = claim == null
                ? entity.bind(
                                writes.computeIfAbsent(
                                                entity, each -> write("coalesce(%s, :gone)".formatted(each.keyQuery())))
                                        .on(connection),
                                run.id())
                        .with("gone", entity.key(run.id()))
                : writeClaimed.on(connection).with("id", claim.key());
        return call.with("key", tenants.qualified(note.key().value()))
                .with("entity", entity.name())
                .with("workflow", run.workflow())
                .with("step", run.step())
                .with("requester", run.requester().name())
                .with("status", run.target())
                .with("format", note.stored() == null ? null : codec.format())
                .with("result", note.stored())
                .with("retention", retention.toMillis())
                .changesOne();
    }

    private Sql write(String id) {
        // A key that has expired can be used again, even before it is purged.
        return Sql.named("effect.write", """
                INSERT INTO %s AS k (effect_key, entity, entity_id, workflow, step, requester, status, format, result, done_at,
                    expires_at)
                VALUES (:key, :entity, %s, :workflow, :step, :requester, :status, :format, :result, clock_timestamp(),
                    clock_timestamp() + :retention * INTERVAL '1 millisecond')
                ON CONFLICT (effect_key) DO UPDATE SET entity = excluded.entity, entity_id = excluded.entity_id,
                    workflow = excluded.workflow, step = excluded.step, requester = excluded.requester,
                    status = excluded.status, format = excluded.format, result = excluded.result,
                    done_at = excluded.done_at, expires_at = excluded.expires_at
                WHERE k.expires_at <= clock_timestamp()""".formatted(table, id));
    }
}
