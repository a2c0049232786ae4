package io.sagaspring.workflow;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimLedger;
import io.sagaspring.claim.Flip;
import io.sagaspring.due.DueWork;
import io.sagaspring.entity.LastStatements;
import io.sagaspring.jdbc.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The last statements of a step: the after-effect's row, the effect key, and the removal of the claim by its token.
 * They run after every transaction synchronization of other code. Therefore, the step holds the lock on the ledger's
 * row only for the duration of the commit. The keeper and the janitor need this lock, too.
 */
final class CommitFence implements LastStatements {

    private static final Sql NUMBER =
            Sql.named("transaction.number", "SELECT pg_catalog.pg_current_xact_id()::text AS transaction");

    private final StepRun run;
    private final ClaimLedger ledger;
    private final DueWork due;
    private final EffectKeys effects;
    private final EffectKeys.@Nullable Note note;
    private @Nullable String transaction;

    CommitFence(StepRun run, ClaimLedger ledger, DueWork due, EffectKeys effects, EffectKeys.@Nullable Note note) {
        this.run = run;
        this.ledger = ledger;
        this.due = due;
        this.effects = effects;
        this.note = note;
    }

    /** Signals that the claim's row is gone: the claim was lost, and this transaction must not commit. */
    static final class Lost extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Lost() {
            super("The claim was lost.", null, false, false);
        }
    }

    /** Signals that another call has taken effect under the same key. */
    static final class Repeated extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Repeated() {
            super("Another call has taken effect under the same key.", null, false, false);
        }
    }

    /** Returns the transaction's number, or null before the last statement of the transaction has succeeded. */
    @Nullable
    String transaction() {
        return transaction;
    }

    /**
     * Requires that the step has no after-effect, because the action has removed the entity. A step with an
     * after-effect must keep its entity, even if the after-effect needs only the id.
     */
    @Override
    public void requireRemovable() {
        run.definition().successAfterEffect().of(run.requester()).ifPresent(bean -> {
            throw new EntityRemovedException(run.toString(), bean);
        });
    }

    /**
     * Requires that the current tenant is still the step's tenant, because the application's code may have changed it.
     * Then runs the writes. If a listener of the flip throws an exception, the caller gets it.
     */
    @Override
    public void surround(Supplier<String> writes) {
        run.requireSameTenant();
        transaction = ledger.withListeners(writes);
    }

    @Override
    public String write(Connection connection, @Nullable Long version) throws SQLException {
        Claim claim = run.claim();
        if (version != null) {
            ledger.completed(connection, flip(version));
        }
        Optional<String> bean = run.definition().successAfterEffect().of(run.requester());
        if (bean.isPresent()) {
            // The random UUID makes the key unique even in a restored database, where transaction numbers and sequence
            // values repeat.
            String id = run.table().text(run.id());
            String key = "%s:%s:%s:%s".formatted(run.workflow(), id, run.step(), UUID.randomUUID());
            due.schedule(
                    connection,
                    AfterEffects.kind(run.of(), run.definition()),
                    key,
                    AfterEffects.payload(run.requester(), id));
        }
        // Write the effect key before the claim is removed. A caller that waits here for another caller must not hold a
        // lock on the ledger's row.
        if (note != null && !effects.write(connection, note)) {
            throw new Repeated();
        }
        return claim == null
                ? number(connection)
                : ledger.remove(connection, claim).orElseThrow(Lost::new);
    }

    private Flip flip(long version) {
        return new Flip(
                Flip.Kind.COMPLETED,
                run.table().name(),
                run.table().entity(),
                run.id(),
                run.statusDuringAction(),
                run.target(),
                version,
                run.requester().name());
    }

    private static String number(Connection connection) throws SQLException {
        return NUMBER.on(connection).first(row -> row.text("transaction")).orElseThrow();
    }
}
