package io.sagaspring.sample.effects;

import io.sagaspring.sample.Node;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The calls to the outside world, in the order of their arrival. Rows are never changed. */
@Component
class EffectsLedger {

    private final JdbcClient effects;
    private final boolean dedupe;
    private final String node;

    EffectsLedger(
            @Qualifier("effectsJdbcClient") JdbcClient effects,
            @Value("${sample.effects.dedupe:false}") boolean dedupe,
            Node node) {
        this.effects = effects;
        this.dedupe = dedupe;
        this.node = node.name();
    }

    record Effect(Instant at, String kind, String ref, String key, String node) {}

    void append(String kind, String ref, String key) {
        effects.sql("""
                INSERT INTO effects.effect (kind, ref, key, node, once) VALUES (:kind, :ref, :key, :node, :once)
                ON CONFLICT (once) DO NOTHING""")
                .param("kind", kind)
                .param("ref", ref)
                .param("key", key)
                .param("node", node)
                .param("once", once(kind, key))
                .update();
    }

    /**
     * Returns a value for the unique column {@code once}. Without deduplication the value is null, and NULL is never a
     * duplicate of NULL. Otherwise the value contains the kind, because a payout has the same key at its beginning and
     * at its end.
     */
    private @Nullable String once(String kind, String key) {
        return dedupe ? kind + " " + key : null;
    }

    /**
     * Records the reversal of the effect under a key, if there is such an effect. The caller does not always know
     * whether there is one.
     */
    void takeBack(String reversed, String kind, String ref, String key) {
        effects.sql("""
                INSERT INTO effects.effect (kind, ref, key, node, once) SELECT :kind, :ref, :key, :node, :once
                WHERE EXISTS (SELECT FROM effects.effect WHERE ref = :ref AND key = :reversed)
                ON CONFLICT (once) DO NOTHING""")
                .param("reversed", reversed)
                .param("kind", kind)
                .param("ref", ref)
                .param("key", key)
                .param("node", node)
                .param("once", once(kind, key))
                .update();
    }

    /**
     * Returns the latest effects, at most {@code last}, or all of them if {@code last} is null. An empty {@code ref} or
     * {@code kind} matches every effect.
     */
    List<Effect> find(String ref, String kind, @Nullable Integer last) {
        return effects.sql("""
                SELECT * FROM (
                    SELECT id, at, kind, ref, key, node FROM effects.effect
                    WHERE :ref IN ('', ref) AND :kind IN ('', kind) ORDER BY at DESC, id DESC LIMIT :last) AS found
                ORDER BY at, id""")
                .param("ref", ref)
                .param("kind", kind)
                .param("last", last, Types.INTEGER)
                .query((row, number) -> new Effect(
                        row.getObject("at", OffsetDateTime.class).toInstant(),
                        row.getString("kind"),
                        row.getString("ref"),
                        row.getString("key"),
                        row.getString("node")))
                .list();
    }
}
