package io.sagaspring.claim;

import io.sagaspring.entity.EntityRow;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.entity.NoSuchIdException;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.OwnTransactions.Decided;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Takes claims from owners that have been silent for too long, or whose claim a person wants to end. Each is one
 * transaction, which waits for nobody: what somebody else is about to change is left to the next sweep.
 *
 * @since 0.1.0
 */
public final class ClaimRecovery {

    private final ClaimLedger ledger;
    private final LedgerRows rows;
    private final DeclaredClaimStates states;

    /**
     * Recoveries over this ledger.
     *
     * @param ledger the statements
     * @param states what may be claimed
     */
    public ClaimRecovery(ClaimLedger ledger, DeclaredClaimStates states) {
        this.ledger = ledger;
        this.rows = ledger.rows();
        this.states = states;
    }

    /** What became of a claim that looked stuck. */
    public enum Recovered {
        /** The entity is where it was claimed from. */
        FREED,
        /** The entity was gone or not in the claim state; only the ledger's row was removed. */
        CLEARED,
        /** Somebody was faster: its owner has been heard of, or another janitor has freed it. */
        PASSED_BY,
        /** A transaction holds the entity or the ledger's row. */
        BLOCKED,
        /** This node does not know the entity; a node that does will free it. */
        UNKNOWN
    }

    /**
     * What a module's janitor may free, longest silent first. It is a list of hints.
     *
     * @param module the module
     * @param window how long an owner may be silent
     * @param except what the caller has seen and could not free
     * @param limit how many at most
     * @return rows of the ledger
     */
    public List<ClaimedRow> stuck(String module, Duration window, Set<FencingToken> except, int limit) {
        // By what the module declares now: who wrote the row may have called the module otherwise.
        Map<String, Set<String>> declared = states.of(module).stream()
                .collect(Collectors.groupingBy(
                        state -> states.tableOf(state).name(),
                        Collectors.mapping(ClaimState::into, Collectors.toSet())));
        return anyTable()
                .map(table ->
                        table.own().single(connection -> rows.silent(connection, declared, window, except, limit)))
                .orElseGet(List::of);
    }

    /**
     * Frees an entity, if its owner is still silent.
     *
     * @param row as the list of hints had it
     * @param window how long an owner may be silent
     * @return what became of it
     */
    public Recovered recover(ClaimedRow row, Duration window) {
        return recovered(row, window);
    }

    private Recovered recovered(ClaimedRow row, @Nullable Duration window) {
        Optional<EntityTable> known = tableOf(row);
        if (known.isEmpty()) {
            return Recovered.UNKNOWN;
        }
        EntityTable table = known.get();
        Object id = table.stored(table.idOf(row.id()));
        HeldLease held = new HeldLease(row.entity(), row.id(), row.token());
        return table.decided("Freeing " + held, id, connection -> recover(connection, table, id, held, row, window));
    }

    /**
     * Frees an entity, however lately its owner was heard of. An owner that still works on it commits nothing: its claim
     * is lost.
     *
     * @param row as it was found
     * @return what became of it
     */
    public Recovered release(ClaimedRow row) {
        return recovered(row, null);
    }

    /**
     * The entity's table.
     *
     * @param row a row of the ledger
     * @return the table, or nothing where this node knows no such entity
     */
    public Optional<EntityTable> tableOf(ClaimedRow row) {
        List<EntityTable> tables = states.named(row.entity(), row.claimState());
        // Of several classes of one hierarchy only the entity's own sees it; the others would take it for gone.
        return tables.stream()
                .filter(table -> tables.size() == 1 || isThere(table, row))
                .findFirst()
                .or(() -> tables.stream().findFirst());
    }

    private static boolean isThere(EntityTable table, ClaimedRow row) {
        return table.read(table.idOf(row.id())).isPresent();
    }

    /**
     * Finds a row of the ledger.
     *
     * @param entity the entity's table
     * @param id the entity's id, in any spelling that the database takes for it
     * @return the row, if the entity is claimed
     */
    public Optional<ClaimedRow> find(String entity, String id) {
        return anyTable()
                .flatMap(table -> table.own().single(connection -> rows.one(connection, entity, id)))
                .or(() -> states.tables()
                        .filter(table -> table.name().equals(entity))
                        .flatMap(table -> spelled(table, id).stream())
                        .findFirst());
    }

    private Optional<ClaimedRow> spelled(EntityTable table, String text) {
        Object id;
        try {
            id = table.idOf(text);
        } catch (NoSuchIdException none) {
            return Optional.empty();
        }
        return table.own().single(connection -> rows.of(connection, table, id));
    }

    /**
     * Gives a row without an owner to every entity of a module that is in a claim state and has none. It is freed when the
     * window is over.
     *
     * @param module the module
     * @return how many were found, by table
     */
    public Map<EntityTable, Integer> adoptOrphans(String module) {
        Map<EntityTable, List<ClaimState>> byTable =
                states.of(module).stream().collect(Collectors.groupingBy(states::tableOf));
        return byTable.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        each -> each.getKey()
                                .own()
                                .single(connection -> rows.adoptOrphans(connection, each.getKey(), each.getValue()))));
    }

    private Decided<Recovered> recover(
            Connection connection,
            EntityTable table,
            Object id,
            HeldLease held,
            ClaimedRow row,
            @Nullable Duration window)
            throws SQLException {
        boolean ours = window == null ? rows.lock(connection, held) : rows.lockSilent(connection, held, window);
        if (!ours) {
            boolean stillHeld = rows.one(connection, row.entity(), row.id())
                    .filter(now -> now.token().equals(row.token())
                            && (window == null || now.silentFor().compareTo(window) > 0))
                    .isPresent();
            return untouched(stillHeld ? Recovered.BLOCKED : Recovered.PASSED_BY);
        }
        Optional<EntityRow> locked = table.lockIfFree(connection, id);
        if (locked.isEmpty() && table.read(connection, id).isPresent()) {
            return untouched(Recovered.BLOCKED);
        }
        boolean stuck = locked.isPresent() && locked.get().status().equals(row.claimState());
        if (stuck
                && table.flipLocked(connection, id, row.claimState(), row.revertTo())
                        .isEmpty()) {
            return untouched(Recovered.BLOCKED);
        }
        String transaction = ledger.remove(connection, held)
                .orElseThrow(() -> new IllegalStateException(
                        "The ledger's row of %s vanished while it was locked.".formatted(held)));
        return new Decided<>(stuck ? Recovered.FREED : Recovered.CLEARED, transaction);
    }

    private static Decided<Recovered> untouched(Recovered because) {
        return new Decided<>(because, null);
    }

    private Optional<EntityTable> anyTable() {
        return states.tables().findFirst();
    }
}
