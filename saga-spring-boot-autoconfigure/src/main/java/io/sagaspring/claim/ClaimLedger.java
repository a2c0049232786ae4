package io.sagaspring.claim;

import io.sagaspring.database.Databases;
import io.sagaspring.entity.EntityRow;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.ActiveTransactionException;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.LostAnswers;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.RenewableLeases;
import io.sagaspring.fence.RenewableRows;
import io.sagaspring.fence.RenewalStatements;
import io.sagaspring.fence.SeparateRows;
import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.tenant.Tenants;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The statements on {@code saga_claim}. A row is written in the commit that flips its entity into the claim state. The
 * row is removed, by its token, in the commit that flips the entity out again. Therefore the row and the entity agree
 * unless other code changes the status. The token fences off previous owners.
 *
 * @since 0.1.0
 */
public final class ClaimLedger implements RenewableRows {

    private final String table;
    private final String tokens;
    private final String node;
    private final Tenants tenants;
    private final Databases databases;
    private final Sql delete;
    private final RenewalStatements held;
    private final LedgerRows rows;
    private final FlipListeners listeners;

    /** The parsed statements that claim entities. Each is parsed once. */
    private final Map<Move, Sql> claims = new ConcurrentHashMap<>();

    private final Map<EntityTable, Sql> inserts = new ConcurrentHashMap<>();
    private final Map<EntityTable, Sql> finds = new ConcurrentHashMap<>();

    /**
     * Creates the ledger.
     *
     * @param schema the schema that holds the table
     * @param databases the databases that have the table, each in a schema of the same name
     * @param node the display name of this node
     * @param listeners the application's listeners, which are called in the transactions of flips
     */
    public ClaimLedger(SagaSchema schema, Databases databases, String node, List<FlipListener> listeners) {
        this.databases = databases;
        this.tenants = databases.tenants();
        this.listeners = new FlipListeners(listeners);
        this.table = schema.table("saga_claim");
        this.tokens = Fragments.literal(schema.table("saga_token"));
        this.node = node;
        this.delete = Sql.named("claim.remove", """
                DELETE FROM %s WHERE entity = :entity AND entity_id = :id AND token = :token
                RETURNING pg_catalog.pg_current_xact_id()::text AS transaction""".formatted(table));
        this.held = new RenewalStatements(
                "claim",
                new RenewalStatements.Rows(
                        table,
                        List.of("entity", "entity_id"),
                        "l.entity = h.name AND l.entity_id = h.id",
                        "true",
                        "true"),
                "alive_at = clock_timestamp()");
        this.rows = new LedgerRows(table, tokens, !tenants.areNone());
    }

    Tenants tenants() {
        return tenants;
    }

    Databases databases() {
        return databases;
    }

    /**
     * Returns true if a held lease is a claim.
     *
     * @param held the table of the lease
     * @return true if the table is the ledger of one of the databases
     */
    public boolean isLedger(RenewableLeases held) {
        return held == this || (held instanceof SeparateRows separate && separate.areOf(this));
    }

    /** Returns the statements with which janitors and operators read and lock the ledger's rows. */
    LedgerRows rows() {
        return rows;
    }

    FlipListeners listeners() {
        return listeners;
    }

    /**
     * Flips an entity into a claim state and writes the ledger's row, in one commit.
     *
     * @param entity the entity's table
     * @param id the entity's id, as the entity's row spells it
     * @param state the claim state, declared for this table
     * @param requester the requester on whose behalf the entity is claimed
     * @param expected the version that the entity must have, or empty to accept any version
     * @return the claim, or the reason for the refusal
     * @throws ActiveTransactionException if a transaction is active
     */
    public ClaimAttempt claim(
            EntityTable entity, Object id, ClaimState state, String requester, OptionalLong expected) {
        requireNoTransaction();
        ClaimAttempt attempt =
                claim(new Order(entity, id, state, requester, expected, UUID.randomUUID(), entity.tenant()));
        entity.forgetCached(id);
        return attempt;
    }

    private ClaimAttempt claim(Order order) {
        return listeners.unwrapped(() -> LostAnswers.settled(
                () -> "Claiming %s %s".formatted(order.entity(), order.entity().text(order.id())),
                // If the reply to an earlier attempt was lost, the claim may exist already. All attempts of this call
                // write the same id, which identifies the claim.
                inDoubt -> (inDoubt ? find(order) : Optional.<Claim>empty())
                        .or(() -> flip(order))
                        .or(() -> inDoubt ? find(order) : Optional.empty())
                        .<ClaimAttempt>map(ClaimAttempt.Granted::new)
                        .orElseGet(() -> refused(order))));
    }

    private Optional<Claim> flip(Order order) {
        OwnTransactions own = order.entity().own();
        if (listeners.areNone() && order.entity().isFlippedByOneStatement()) {
            return own.single(connection -> claimInOneStatement(connection, order));
        }
        return listeners.attempted(calls -> own.together(connection -> {
            Optional<Claim> claim = order.entity().isFlippedByOneStatement()
                    ? claimInOneStatement(connection, order)
                    : claimUnderLock(connection, order);
            claim.ifPresent(granted -> calls.claimed(connection, order.entity(), granted));
            return claim;
        }));
    }

    private Optional<Claim> find(Order order) {
        return order.entity().own().single(connection -> find(connection, order));
    }

    private static ClaimAttempt refused(Order order) {
        return order.entity()
                .read(order.id())
                .<ClaimAttempt>map(ClaimAttempt.Refused::new)
                .orElseGet(ClaimAttempt.NoSuchEntity::new);
    }

    private record Order(
            EntityTable entity,
            Object id,
            ClaimState state,
            String requester,
            OptionalLong expected,
            UUID attempt,
            @Nullable String tenant) {

        Move move() {
            return new Move(entity, state.revertTo(), state.into(), expected.isPresent());
        }

        Claim granted(long token, long version, String key) {
            return new Claim(state, entity.name(), id, key, new FencingToken(token), version, requester, tenant);
        }
    }

    /** The values on which the text of a claiming statement depends. */
    private record Move(EntityTable entity, String from, String into, boolean versioned) {}

    private Optional<Claim> claimInOneStatement(Connection connection, Order order) throws SQLException {
        SqlCall call = order.entity()
                .bind(claims.computeIfAbsent(order.move(), this::flipAndInsert).on(connection), order.id());
        order.expected().ifPresent(version -> call.with("version", version));
        return insert(call, order);
    }

    private Sql flipAndInsert(Move flip) {
        String flipped = flip.entity().flip(flip.from(), flip.into(), flip.versioned());
        return Sql.named(
                "claim.flip",
                "WITH flipped AS (%s)\n%s"
                        .formatted(
                                flipped,
                                insert("flipped.id", "FROM flipped", "(SELECT flipped.version FROM flipped)")));
    }

    private Optional<Claim> claimUnderLock(Connection connection, Order order) throws SQLException {
        ClaimState state = order.state();
        Optional<EntityRow> locked = order.entity().lockVisible(connection, order.id());
        if (locked.isEmpty()
                || !locked.get().status().equals(state.revertTo())
                || (order.expected().isPresent()
                        && order.expected().getAsLong() != locked.get().version())) {
            return Optional.empty();
        }
        Optional<Long> version = order.entity().flipLocked(connection, order.id(), state.revertTo(), state.into());
        if (version.isEmpty()) {
            return Optional.empty();
        }
        Sql insert = inserts.computeIfAbsent(
                order.entity(),
                entity -> Sql.named("claim.insert", insert(entity.keyQuery(), "", "CAST(:flipped AS bigint)")));
        return insert(order.entity().bind(insert.on(connection), order.id()).with("flipped", version.get()), order);
    }

    /**
     * Returns the statement that writes the ledger's row. A row that already exists is stale, because its entity was
     * not in the claim state. The stale row is overwritten, and its previous owner is fenced off.
     */
    private String insert(String key, String from, String version) {
        boolean ofTenants = !tenants.areNone();
        return """
                INSERT INTO %s AS c (entity, entity_id, workflow, module, claim_state, revert_to, requester, node,
                    attempt, token, claimed_at, alive_at%s)
                SELECT :entity, %s, :workflow, :module, :into, :revertTo, :requester, :node, :attempt, nextval(%s),
                    clock_timestamp(), clock_timestamp()%s %s
                ON CONFLICT (entity, entity_id) DO UPDATE SET workflow = excluded.workflow, module = excluded.module,
                    claim_state = excluded.claim_state, revert_to = excluded.revert_to, requester = excluded.requester,
                    node = excluded.node, attempt = excluded.attempt, token = excluded.token,
                    claimed_at = excluded.claimed_at, alive_at = excluded.alive_at%s
                RETURNING c.token, %s AS version, c.entity_id""".formatted(
                        table,
                        ofTenants ? ", tenant" : "",
                        key,
                        tokens,
                        ofTenants ? ", :tenant::text" : "",
                        from,
                        ofTenants ? ", tenant = excluded.tenant" : "",
                        version);
    }

    private Optional<Claim> insert(SqlCall call, Order order) throws SQLException {
        if (!tenants.areNone()) {
            call.with("tenant", order.tenant());
        }
        return call.with("entity", order.entity().name())
                .with("workflow", order.state().workflow())
                .with("module", order.state().module())
                .with("into", order.state().into())
                .with("revertTo", order.state().revertTo())
                .with("requester", order.requester())
                .with("node", node)
                .with("attempt", order.attempt())
                .first(row -> order.granted(row.number("token"), row.number("version"), row.text("entity_id")));
    }

    private Optional<Claim> find(Connection connection, Order order) throws SQLException {
        EntityTable entity = order.entity();
        Sql find = finds.computeIfAbsent(
                entity, table -> Sql.named("claim.find", """
                                SELECT token, entity_id FROM %s
                                WHERE entity = :entity AND entity_id = %s AND attempt = :attempt""".formatted(this.table, table.keyQuery())));
        return entity.bind(find.on(connection), order.id())
                .with("entity", entity.name())
                .with("attempt", order.attempt())
                .first(row -> order.granted(
                        row.number("token"),
                        entity.read(connection, order.id())
                                .map(EntityRow::version)
                                .orElse(0L),
                        row.text("entity_id")));
    }

    /**
     * Removes the ledger's row by its token, in the commit that ends the claim. If the claim was lost, no row has this
     * token, and the caller must not commit.
     *
     * @param connection the connection of the transaction that flips the entity out of the claim state
     * @param claim the claim
     * @return the transaction's number, which identifies the commit if its acknowledgement is lost; or empty if the
     * claim was lost
     * @throws SQLException if the statement fails
     */
    public Optional<String> remove(Connection connection, Claim claim) throws SQLException {
        return remove(connection, claim.held());
    }

    Optional<String> remove(Connection connection, HeldLease held) throws SQLException {
        return LedgerRows.bound(delete.on(connection), held).first(row -> row.text("transaction"));
    }

    /**
     * Calls the listeners of a flip at the end of a step. Call this method within {@link #withListeners}.
     *
     * @param connection the connection of the transaction that has flipped the entity
     * @param flip the flip
     */
    public void completed(Connection connection, Flip flip) {
        if (!listeners.areNone()) {
            boolean unused = listeners.attempted(calls -> calls.completed(connection, flip));
        }
    }

    /**
     * Runs statements that call listeners. If a listener throws an exception, the caller gets this exception: an
     * {@code SQLException} as a {@code DataAccessException}, and an {@code Error} as an {@code IllegalStateException}.
     *
     * @param statements the statements
     * @param <T> the type of the result
     * @return the result of the statements
     */
    public <T extends @Nullable Object> T withListeners(Supplier<T> statements) {
        return listeners.unwrapped(statements);
    }

    @Override
    public RenewalStatements renewals() {
        return held;
    }

    /**
     * Requires that no transaction is active, so that a claim can be committed on its own. Inside an outer transaction,
     * the action could still see the entity as it was before the claim. If that transaction has changed the entity, the
     * transaction and the step would wait for each other forever.
     *
     * @throws ActiveTransactionException if a transaction is active
     */
    public static void requireNoTransaction() {
        if (TransactionPhase.isActive()) {
            throw new ActiveTransactionException(
                    "A step was run inside an active transaction. Its claim must be committed before its action begins, and would"
                            + " wait forever for an outer transaction that has changed the entity. Run the step outside the transaction:"
                            + " without @Transactional on the caller, and in a test with @Transactional(propagation ="
                            + " Propagation.NOT_SUPPORTED).");
        }
    }
}
