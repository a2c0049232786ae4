package io.sagaspring.sample.seed;

import io.sagaspring.run.RunId;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Writes what nodes leave behind that have died or are frozen. No call of the library can do this. Never write to the
 * tables of the library in your own application.
 */
@Component
@ConditionalOnBooleanProperty("sample.seed")
class DeadNodes {

    /** Far beyond the ids that the database assigns, so that the first reminder of a person has the id 1. */
    private static final long REMINDER = 1_000_000;

    private final JdbcClient database;
    private final int maxAttempts;

    DeadNodes(JdbcClient database, @Value("${saga.runs.max-attempts:10}") int maxAttempts) {
        this.database = database;
        this.maxAttempts = maxAttempts;
    }

    /** Counts all attempts of a run as used, and makes it due. The next node that finds the run parks it. */
    void haveDiedWith(RunId run) {
        int rows = database.sql("""
                UPDATE saga_run SET attempts = :attempts, due_at = clock_timestamp()
                WHERE id = :id AND state = 'pending' AND token IS NULL""")
                .param("attempts", maxAttempts)
                .param("id", run.value())
                .update();
        if (rows != 1) {
            throw new IllegalStateException(
                    "Run %s has already been picked up, so it cannot be parked.".formatted(run));
        }
    }

    /** Claims a reminder for a node that is frozen. Two minutes later, the janitor reverts the claim. */
    @Transactional
    void freezeWithClaim() {
        int rows = database.sql("""
                INSERT INTO reminder (id, about, status, version) OVERRIDING SYSTEM VALUE
                VALUES (:id, 'INV-frozen', 'SENDING', 1) ON CONFLICT DO NOTHING""").param("id", REMINDER).update();
        if (rows == 0) {
            return;
        }
        database.sql("""
                INSERT INTO saga_claim (entity, entity_id, workflow, module, claim_state, revert_to, requester, node, attempt,
                    token, claimed_at, alive_at)
                VALUES ('reminder', :id::text, 'reminder', 'reminders', 'SENDING', 'WRITTEN', 'admin', 'frozen-node',
                    gen_random_uuid(), 1, clock_timestamp() - INTERVAL '180 seconds',
                    clock_timestamp() - INTERVAL '160 seconds')""").param("id", REMINDER).update();
    }
}
