package io.sagaspring.chaos;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Records side effects outside the database, one line each, in another database. Each line is committed separately.
 * Lines are added and never changed.
 */
final class EffectLedger {

    private final JdbcClient lines;

    EffectLedger(DataSource elsewhere) {
        this.lines = JdbcClient.create(elsewhere);
    }

    /**
     * @param id the line's number, greater than the number of every earlier line
     * @param node the name of the node that caused the effect
     */
    record Line(long id, UUID run, String step, String idempotencyKey, String node) {}

    void create() {
        lines.sql("""
                CREATE TABLE effect (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run uuid NOT NULL,
                    step text NOT NULL, idempotency_key text NOT NULL, node text NOT NULL)""").update();
        lines.sql("CREATE INDEX effect_key ON effect (idempotency_key)").update();
    }

    long write(UUID run, String step, String idempotencyKey, String node) {
        return lines.sql("INSERT INTO effect (run, step, idempotency_key, node) VALUES (?, ?, ?, ?) RETURNING id")
                .params(run, step, idempotencyKey, node)
                .query(Long.class)
                .single();
    }

    Optional<Long> find(String idempotencyKey) {
        return lines.sql("SELECT id FROM effect WHERE idempotency_key = ? ORDER BY id LIMIT 1")
                .param(idempotencyKey)
                .query(Long.class)
                .optional();
    }

    List<Line> all() {
        return lines.sql("SELECT id, run, step, idempotency_key, node FROM effect ORDER BY id")
                .query(Line.class)
                .list();
    }
}
