package io.sagaspring.claim;

import io.sagaspring.database.Database;
import io.sagaspring.database.Databases;
import io.sagaspring.entity.EntityRow;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.entity.NoSuchIdException;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.OwnTransactions.Decided;
import io.sagaspring.tenant.Tenants;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reverts claims whose owners have sent no heartbeat for too long, or that a person wants to end. Each claim is
 * reverted in a separate transaction. That transaction does not wait for locks: a locked row is left to the next sweep.
 *
 * @since 0.1.0
 */
public final class ClaimRecovery {

    /** The number of times that a release is tried if a transaction holds the claim or the entity. */
    private static final int RELEASE_TRIES = 20;

    private static final Duration RELEASE_PAUSE = Duration.ofMillis(10);

    private final ClaimLedger ledger;
    private final LedgerRows rows;
    private final DeclaredClaimStates states;
    private final Tenants tenants;
    private final OrphanAdoption orphans;

    /**
     * Creates the recovery of the claims in a ledger.
     *
     * @param ledger the ledger
     * @param states the declared claim states
     */
    public ClaimRecovery(ClaimLedger ledger, DeclaredClaimStates states) {
        this.ledger = ledger;
        this.rows = ledger.rows();
        this.states = states;
        this.tenants = ledger.tenants();
        this.orphans = new OrphanAdoption(ledger, states);
    }

    /** {@return the databases that have a ledger} */
    public Databases databases() {
        return ledger.databases();
    }

    /** {@return the tenants of the application} */
    public Tenants tenants() {
        return tenants;
    }

    /** The result of an attempt to revert a claim. */
    public enum Recovered {
        /** The entity is back in the status from which it was claimed. */
        FREED,
        /** The entity no longer existed or was not in the claim state. Only the ledger's row was removed. */
        CLEARED,
        /** The claim is not stuck: its owner has sent a heartbeat or ended it, or another janitor has reverted it. */
        PASSED_BY,
        /** A transaction holds the entity or the ledger's row. */
        BLOCKED,
        /** This node does not declare the claim state for the entity's table. Only a node that declares it can free it. */
        UNKNOWN
    }

    /**
     * Lists the claims that a module's janitor may free, in all databases that answer.
     *
     * @param module the module
     * @param stuckAfter the time without a heartbeat after which a claim counts as stuck
     * @param limit the greatest number of rows of each tenant in each database
     * @return the rows of the ledger
     */
    public List<ClaimedRow> stuck(String module, Duration stuckAfter, int limit) {
        return databases().ask(null, database -> stuck(database, module, stuckAfter, Set.of(), limit)).stream()
                .flatMap(List::stream)
                .toList();
    }

    /**
     * Lists the claims that a module's janitor may free, tenant by tenant. For each tenant, the claims whose last
     * heartbeat is earliest come first. The rows are not locked, so a claim may change before it is freed.
     *
     * @param database the database that is searched
     * @param module the module
     * @param stuckAfter the time without a heartbeat after which a claim counts as stuck
     * @param except the tokens of the claims to leave out, because the caller could not free them
     * @param limit the greatest number of rows of each tenant
     * @return the rows of the ledger
     */
    public List<ClaimedRow> stuck(
            Database database, String module, Duration stuckAfter, Set<FencingToken> except, int limit) {
        if (states.of(module).isEmpty()) {
            return List.of();
        }
        LedgerRows.Search search = new LedgerRows.Search(stuckAfter, except, limit);
        List<ClaimedRow> found = new ArrayList<>();
        for (Optional<String> tenant : tenantsWithSilentClaims(database, stuckAfter)) {
            found.addAll(stuckOf(database, tenant.orElse(null), module, search));
        }
        return found;
    }

    private List<Optional<String>> tenantsWithSilentClaims(Database database, Duration stuckAfter) {
        return tenants.areNone()
                ? List.of(Optional.empty())
                : database.own().single(connection -> rows.silentTenants(connection, stuckAfter));
    }

    /**
     * Lists the stuck claims of a tenant. If the tenant's context cannot be entered, or the tenant has another database
     * now, the claims are found by the module's name in the ledger.
     */
    private List<ClaimedRow> stuckOf(
            Database database, @Nullable String tenant, String module, LedgerRows.Search search) {
        Map<String, Set<String>> declared;
        try {
            declared = tenants.in(tenant, () -> declared(database, module));
        } catch (RuntimeException unreachable) {
            if (tenants.areNone()) {
                throw unreachable;
            }
            return unreachable(database, tenant, module, search);
        }
        return declared.isEmpty()
                ? unreachable(database, tenant, module, search)
                : database.own().single(connection -> rows.silent(connection, declared, tenant, search));
    }

    private List<ClaimedRow> unreachable(
            Database database, @Nullable String tenant, String module, LedgerRows.Search search) {
        return database.own().single(connection -> rows.unreachable(connection, module, tenant, search));
    }

    /**
     * Returns the claim states that the module currently declares for the tables in the database. Claims are found by
     * these states, because the ledger's row may contain a former name of the module.
     */
    private Map<String, Set<String>> declared(Database database, String module) {
        return states.of(module).stream()
                .filter(state -> states.tableOf(state).database() == database)
                .collect(Collectors.groupingBy(
                        state -> states.tableOf(state).name(),
                        Collectors.mapping(ClaimState::into, Collectors.toSet())));
    }

    /**
     * Frees an entity if its claim is still stuck.
     *
     * @param database the database in which the row was found
     * @param row the row, as the caller has read it
     * @param stuckAfter the time without a heartbeat after which a claim counts as stuck
     * @return the result
     */
    public Recovered recover(Database database, ClaimedRow row, Duration stuckAfter) {
        return tenants.in(row.tenant(), () -> {
            Optional<EntityTable> known = tableOf(row);
            known.ifPresent(table -> requireIn(database, table, row));
            return known.isEmpty() ? Recovered.UNKNOWN : recoveredHere(row, known.get(), stuckAfter);
        });
    }

    /**
     * Requires that the tenant's entities are in the row's database. Without this check, a sweep that finds a claim in
     * a copy of the tenant's database would revert the entity in the original database.
     */
    private static void requireIn(Database database, EntityTable table, ClaimedRow row) {
        if (table.database() != database) {
            throw new IllegalStateException(
                    "A claim of tenant '%s' is in %s, but the tenant's entities are in %s. Remove the row from saga_claim if the data was copied, or let the tenant's connections lead to the database of the claim again."
                            .formatted(row.tenant(), database, table.database()));
        }
    }

    private Recovered recoveredHere(ClaimedRow row, EntityTable table, @Nullable Duration stuckAfter) {
        Object id = table.rowIdOf(row.id());
        HeldLease held = new HeldLease(row.entity(), row.id(), row.token());
        return ledger.listeners()
                .calledIn(calls -> table.decided("Freeing " + held, id, connection -> {
                    Reverted reverted = revert(connection, table, id, held, row, stuckAfter);
                    reverted.version().ifPresent(version -> calls.reverted(connection, table, id, row, version));
                    return reverted.decided();
                }));
    }

    /**
     * Frees an entity even if its owner still sends heartbeats. The owner loses its claim and can no longer commit. If a
     * transaction holds the claim or the entity, this method tries again for a short time, because it may be a heartbeat.
     *
     * @param row the row, as the caller has read it
     * @return the result
     */
    public Recovered release(ClaimedRow row) {
        return tenants.in(
                row.tenant(),
                () -> tableOf(row).map(table -> releasedHere(row, table)).orElse(Recovered.UNKNOWN));
    }

    private Recovered releasedHere(ClaimedRow row, EntityTable table) {
        Recovered released = recoveredHere(row, table, null);
        for (int tries = 1; released == Recovered.BLOCKED && tries < RELEASE_TRIES; tries++) {
            LockSupport.parkNanos(RELEASE_PAUSE.toNanos());
            released = recoveredHere(row, table, null);
        }
        return released;
    }

    /**
     * Returns the table of a claimed entity. Call this method in the context of the row's tenant.
     *
     * @param row a row of the ledger
     * @return the table, or empty if this node has no such entity
     */
    public Optional<EntityTable> tableOf(ClaimedRow row) {
        List<EntityTable> tables = states.named(row.entity(), row.claimState(), row.workflow());
        // Several classes of one hierarchy may share a table. Only the entity's own class and its superclasses find the
        // entity. The class of the row's workflow comes first, so that listeners get this class.
        return tables.stream()
                .filter(table -> tables.size() == 1 || isThere(table, row))
                .findFirst()
                .or(() -> tables.stream().findFirst());
    }

    private static boolean isThere(EntityTable table, ClaimedRow row) {
        Object id = table.idOf(row.id());
        return table.own().single(connection -> table.read(connection, id)).isPresent();
    }

    /**
     * Finds a row of the ledger.
     *
     * @param entity the name of the entity's table, as the ledger stores it
     * @param id the entity's id, spelled as in the ledger, or in any way that the database accepts if the application
     *     has no tenants
     * @return the row, if the entity is claimed
     */
    public Optional<ClaimedRow> find(String entity, String id) {
        return find(entity, id, null);
    }

    /**
     * Finds a row of the ledger.
     *
     * @param entity the name of the entity's table, as the ledger stores it
     * @param id the entity's id, spelled as in the ledger, or in any way that the database accepts if the tenant is
     *     given or the application has no tenants
     * @param tenant the tenant of the claim, or null if it is not known
     * @return the row, if the entity is claimed
     */
    public Optional<ClaimedRow> find(String entity, String id, @Nullable String tenant) {
        return databases()
                .ask(tenant, each -> each.own().single(connection -> rows.one(connection, entity, id)))
                .stream()
                .flatMap(Optional::stream)
                .filter(row -> tenant == null || tenant.equals(row.tenant()))
                .findFirst()
                .or(() -> tenants.areNone() || tenant != null
                        ? tenants.in(tenant, () -> spelled(entity, id))
                        : Optional.empty());
    }

    private Optional<ClaimedRow> spelled(String entity, String id) {
        return states.tables()
                .filter(table -> table.name().equals(entity))
                .flatMap(table -> spelled(table, id).stream())
                .findFirst();
    }

    private Optional<ClaimedRow> spelled(EntityTable table, String text) {
        Object id;
        try {
            id = table.hasTenants() ? table.rowId(text) : table.idOf(text);
        } catch (NoSuchIdException none) {
            return Optional.empty();
        }
        return table.own().single(connection -> rows.of(connection, table, id));
    }

    /**
     * Writes a row without an owner for each orphan of a module: an entity in a claim state without a claim. The orphan
     * is freed when the new row is stuck.
     *
     * @param module the module
     * @return the number of orphans found, by table
     */
    public Map<EntityTable, Integer> adoptOrphans(String module) {
        Map<EntityTable, Integer> found = new HashMap<>();
        databases()
                .all()
                .forEach(database -> adoptOrphans(database, module, found::put, (tenant, failed) -> {
                    throw failed;
                }));
        return found;
    }

    /**
     * Adopts orphans like {@link #adoptOrphans(String)}, in the tables of all tenants of a database.
     *
     * @param database the database
     * @param module the module
     * @param adopted the consumer of the number of orphans in each table, called in the context of a tenant
     * @param failures the consumer of the tenant and the exception if the search for a tenant fails; the search then
     *     continues for the other tenants
     */
    public void adoptOrphans(
            Database database,
            String module,
            BiConsumer<EntityTable, Integer> adopted,
            BiConsumer<@Nullable String, RuntimeException> failures) {
        orphans.adopt(database, module, adopted, failures);
    }

    /**
     * The result of an attempt, before its commit.
     *
     * @param decided the result, with the transaction's number
     * @param version the entity's new version, or empty if the entity was not flipped
     */
    private record Reverted(Decided<Recovered> decided, Optional<Long> version) {}

    private Reverted revert(
            Connection connection,
            EntityTable table,
            Object id,
            HeldLease held,
            ClaimedRow row,
            @Nullable Duration stuckAfter)
            throws SQLException {
        boolean locked =
                stuckAfter == null ? rows.lock(connection, held) : rows.lockSilent(connection, held, stuckAfter);
        if (!locked) {
            boolean stillHeld = rows.one(connection, row.entity(), row.id())
                    .filter(now -> now.token().equals(row.token())
                            && (stuckAfter == null || now.silentFor().compareTo(stuckAfter) > 0))
                    .isPresent();
            return untouched(stillHeld ? Recovered.BLOCKED : Recovered.PASSED_BY);
        }
        Optional<EntityRow> found = table.lockIfFree(connection, id);
        if (found.isEmpty() && table.read(connection, id).isPresent()) {
            return untouched(Recovered.BLOCKED);
        }
        boolean stuck = found.isPresent() && found.get().status().equals(row.claimState());
        Optional<Long> version =
                stuck ? table.flipLocked(connection, id, row.claimState(), row.revertTo()) : Optional.empty();
        if (stuck && version.isEmpty()) {
            return untouched(Recovered.BLOCKED);
        }
        String transaction = ledger.remove(connection, held)
                .orElseThrow(() -> new IllegalStateException(
                        "The row of %s in saga_claim was deleted although this transaction has locked it. Remove the trigger or rule that deletes rows of saga_claim."
                                .formatted(held)));
        return new Reverted(new Decided<>(stuck ? Recovered.FREED : Recovered.CLEARED, transaction), version);
    }

    private static Reverted untouched(Recovered because) {
        return new Reverted(new Decided<>(because, null), Optional.empty());
    }
}
