package io.sagaspring.workflow;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimLedger;
import io.sagaspring.due.DueWork;
import io.sagaspring.entity.LoadedEntity;
import io.sagaspring.jdbc.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * What stands directly before the commit, behind everything that other code has put there: the last writes, the
 * after-effect's row, and the removal of the claim by its token. Only then the transaction holds a lock that keeper and
 * janitor care about, and no longer than the commit takes.
 */
final class CommitFence implements TransactionSynchronization, Ordered {

    private static final Sql NUMBER =
            Sql.named("transaction.number", "SELECT pg_catalog.pg_current_xact_id()::text AS transaction");

    private final StepRun run;
    private final LoadedEntity entity;
    private final ClaimLedger ledger;
    private final DueWork due;
    private final EffectKeys effects;
    private final EffectKeys.@Nullable Note note;
    private @Nullable String transaction;

    CommitFence(
            StepRun run,
            LoadedEntity entity,
            ClaimLedger ledger,
            DueWork due,
            EffectKeys effects,
            EffectKeys.@Nullable Note note) {
        this.run = run;
        this.entity = entity;
        this.ledger = ledger;
        this.due = due;
        this.effects = effects;
        this.note = note;
    }

    /** The claim's row is gone: somebody else decides. */
    static final class Lost extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Lost() {
            super("The claim was taken away.", null, false, false);
        }
    }

    /** Another call has taken effect under the same key. */
    static final class Repeated extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Repeated() {
            super("Another call has taken effect under the same key.", null, false, false);
        }
    }

    /** The transaction's number, once nothing is left to do but to commit it. */
    @Nullable
    String transaction() {
        return transaction;
    }

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        transaction = entity.flushThen(this::passed);
    }

    private String passed(Connection connection) throws SQLException {
        Claim claim = run.claim();
        Optional<String> bean = run.definition().successAfterEffect().of(run.requester());
        if (bean.isPresent()) {
            // One of a kind, also in a restored database, where numbers of transactions and sequences come again.
            String key = "%s:%s:%s:%s".formatted(run.workflow(), run.id(), run.step(), UUID.randomUUID());
            due.schedule(
                    connection,
                    AfterEffects.queue(run.of(), run.definition()),
                    key,
                    AfterEffects.payload(run.requester(), run.id()));
        }
        // Before the claim's removal: a caller that waits here for another one must not hold the ledger's row.
        if (note != null && !effects.write(connection, note)) {
            throw new Repeated();
        }
        return claim == null
                ? number(connection)
                : ledger.remove(connection, claim).orElseThrow(Lost::new);
    }

    private static String number(Connection connection) throws SQLException {
        return NUMBER.on(connection).first(row -> row.text("transaction")).orElseThrow();
    }
}
