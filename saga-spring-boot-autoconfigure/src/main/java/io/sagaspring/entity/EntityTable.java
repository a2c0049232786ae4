package io.sagaspring.entity;

import io.sagaspring.database.Database;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The columns of an entity's id, status and version, and the statements that read them and flip the status. Every flip
 * requires the status from which it starts, increments the version as the application does, and reports whether it took
 * place. The subclasses load the entity and run the application's code on it.
 *
 * @since 0.1.0
 */
public abstract sealed class EntityTable permits DescribedTable, MappedTable {

    private final Class<?> entity;
    private final OwnTransactions own;
    private final TableTenants tenants;
    private final MappedColumns columns;
    private final EntityIds ids;
    private final Statuses statuses;
    private final EntityStatements texts;
    private final RowQueries rows;
    private final RowQueries visibleRows;
    private final LockedFlips flips;
    private final @Nullable TenantTables ofTenants;
    private final LastFlip lastFlip;
    private volatile @Nullable TableLocation location;

    /** Creates a table. The location is null unless this is the table of one tenant. */
    EntityTable(TableParts parts, @Nullable TableLocation located) {
        this.entity = parts.entity();
        this.own = parts.own();
        this.tenants = parts.tenants();
        this.columns = parts.columns();
        this.ids = new EntityIds(parts);
        this.statuses = parts.statuses();
        this.texts = new EntityStatements(columns, ids, statuses, parts.modified());
        this.rows = RowQueries.of(texts.row(false), isFlippedByOneStatement());
        this.visibleRows = RowQueries.of(texts.row(true), isFlippedByOneStatement());
        this.flips = new LockedFlips(this, columns, texts, statuses);
        this.lastFlip = new LastFlip(this, texts);
        this.location = located;
        this.ofTenants = located != null || tenants.all().areNone()
                ? null
                : new TenantTables(parts, ids.varyingColumns(), this::at);
    }

    abstract EntityTable at(TableParts parts, TableLocation located);

    /** {@return this entity's table for the current tenant; the same object for all tenants that share a table} */
    public EntityTable here() {
        return ofTenants == null ? this : ofTenants.here();
    }

    /** {@return the current tenant, which is stored with a claim, or null if the thread works for no tenant} */
    public @Nullable String tenant() {
        return tenants.current(hasTenants() ? entity::getSimpleName : null);
    }

    /** {@return the database with the table and its claims, for the current tenant} */
    public Database database() {
        return tenants.database();
    }

    /** {@return true if the table has a column with the tenant of each row} */
    public boolean hasTenants() {
        return columns.predicates().tenant() != null;
    }

    /** {@return the name of the version's table, as in the ledger: with its schema unless that is public} */
    public String name() {
        return ofTenants == null ? location().name() : ofTenants.nameOfAny();
    }

    private TableLocation location() {
        TableLocation known = location;
        if (known == null) {
            known = TableLocation.of(own, columns.versionTable(), columns.versionId(), ids.varyingColumns());
            if (known.exists()) {
                columns.version().locate();
                location = known;
            }
        }
        return known;
    }

    /** {@return the entity's class} */
    public Class<?> entity() {
        return entity;
    }

    /** {@return the names of the constants of the status's type, in their order; empty if the type has no constants} */
    public List<String> statusConstants() {
        return List.copyOf(statuses.known().keySet());
    }

    /** {@return the class of the entity's ids} */
    public Class<?> idType() {
        return ids.type();
    }

    /** {@return the library's own transactions over the entity's database, the same object for every caller} */
    public OwnTransactions own() {
        return own;
    }

    /**
     * Discards the entities that the thread has already loaded, so that a step does not act on stale entities.
     *
     * @throws DirtyContextException if unsaved changes would be lost
     */
    public abstract void clearThreadContext();

    /**
     * Runs the application's code as READ COMMITTED. At a stricter level, a write of a janitor could make it fail.
     *
     * @param name the name of the transaction, for logs
     * @param work the work
     * @param <T> the type of the result
     * @return the result of the work; its writes are committed, unless the work marked the transaction for rollback
     */
    public abstract <T extends @Nullable Object> T foreign(String name, Function<ForeignTransaction, T> work);

    /**
     * Runs the application's code outside any transaction. An entity that JPA maps can still load its associations.
     *
     * @param id the entity's id
     * @param work the work, which receives empty if there is no such entity
     * @throws Exception if the work throws it
     */
    public abstract void outsideTransaction(Object id, EntityWork work) throws Exception;

    /**
     * Runs statements that flip an entity without JPA, commits them together, and evicts the entity from the cache.
     *
     * @param description a name for the work, with which an exception's message begins
     * @param id the entity's id
     * @param statements the statements, which return their result and the transaction's number
     * @param <T> the type of the result
     * @return the committed result
     */
    public <T extends @Nullable Object> T decided(
            String description, Object id, OwnTransactions.Work<OwnTransactions.Decided<T>> statements) {
        T found = own().decided(description, statements);
        forgetCached(id);
        return found;
    }

    /**
     * {@return true if this table and the other table have different status columns, and one entity may be in both}
     *
     * @param other a table of the same name
     */
    public abstract boolean hasOtherStatus(EntityTable other);

    /** {@return true if one statement can flip the entity, because its status and version are in one table} */
    public boolean isFlippedByOneStatement() {
        return columns.versionTable().equals(columns.statusTable());
    }

    /**
     * Converts an id from its text form in the ledger.
     *
     * @param key the id's text form in the ledger
     * @return an id of the entity's type
     * @throws NoSuchIdException if the string is not an id of this entity
     */
    public Object idOf(String key) {
        return ids.ofKey(key);
    }

    /**
     * Converts a caller's value to the id in its row's spelling. The database may treat several spellings as equal.
     *
     * @param given the id itself, a number of another width, or the id's text
     * @return the id as its row spells it, or the converted value if there is no such row
     * @throws NoSuchIdException if the value is not an id of this entity
     */
    public Object rowId(Object given) {
        return ids.spelledInRow(ids.of(given), location().keepsSpelling());
    }

    /**
     * Converts an id from its text form in the ledger to the spelling in its row, as {@link #rowId} does.
     *
     * @param key the id's text form in the ledger
     * @return the id as its row spells it, or the converted text if there is no such row
     */
    public Object rowIdOf(String key) {
        return ids.spelledInRow(ids.ofKey(key), location().keepsSpelling());
    }

    /**
     * Compares an id with an id in its text form in the ledger, even if the row is gone.
     *
     * @param key the id's text form in the ledger
     * @param id an id of the entity's type
     * @return true if the database treats both as equal
     */
    public boolean isIdOf(String key, Object id) {
        return ids.areEqual(rowIdOf(key), id, location().keepsSpelling());
    }

    /**
     * Returns the text by which a caller can name an entity, for example over HTTP. Commas join the parts of an id.
     *
     * @param id an id of the entity's type
     * @return the id's text
     */
    public String text(Object id) {
        return ids.text(id);
    }

    /**
     * Binds the id to a statement of this table.
     *
     * @param call the call of the statement
     * @param id an id of the entity's type
     * @return the call
     */
    public SqlCall bind(SqlCall call, Object id) {
        return ids.bindInTenant(call, id);
    }

    /**
     * Returns the text form of an id for the ledger, spelled as the given id.
     *
     * @param id an id of the entity's type
     * @return the text, even if the row is gone
     */
    public String key(Object id) {
        return ids.key(id);
    }

    /** {@return the query for an id's text form in the ledger: a subquery with the parameters of {@link #bind}} */
    public String keyQuery() {
        return texts.keyQuery();
    }

    /**
     * Returns the statement that updates status and version if JPA would load the entity and the status is as expected.
     *
     * @param from the status that the entity must have
     * @param into the entity's new status
     * @param versioned true to add a parameter for the expected version, {@code :version}
     * @return a statement with the parameters of {@link #bind}, which returns the new version as {@code version} and
     *     the id's text form in the ledger as {@code id}
     */
    public String flip(String from, String into, boolean versioned) {
        return texts.flip(from, into, versioned, true);
    }

    /**
     * Reads the committed row in a separate transaction.
     *
     * @param id the entity's id
     * @return the row, or empty if there is none that JPA would load
     */
    public Optional<EntityRow> read(Object id) {
        return own().single(connection -> row(visibleRows.read(), connection, id));
    }

    /**
     * Reads the row on a connection, even if JPA would not load it.
     *
     * @param connection the connection
     * @param key the entity's id
     * @return the row, or empty if there is none
     * @throws SQLException if the statement fails
     */
    public Optional<EntityRow> read(Connection connection, Object key) throws SQLException {
        return row(rows.read(), connection, key);
    }

    /**
     * Locks the entity like {@link #lock}, if JPA would load it.
     *
     * @param connection the connection, in a transaction
     * @param key the entity's id
     * @return the status and version of the locked row, or empty if there is none that JPA would load
     * @throws SQLException if the statement fails
     */
    public Optional<EntityRow> lockVisible(Connection connection, Object key) throws SQLException {
        return locked(visibleRows, visibleRows.lock(), connection, key);
    }

    /**
     * Locks the entity as an update of its status does. Waits while another transaction holds the lock.
     *
     * @param connection the connection, in a transaction
     * @param key the entity's id
     * @return the status and version of the locked row, or empty if there is no such row
     * @throws SQLException if the statement fails
     */
    public Optional<EntityRow> lock(Connection connection, Object key) throws SQLException {
        return locked(rows, rows.lock(), connection, key);
    }

    /**
     * Locks the entity unless another transaction has locked it. A lock for a foreign key to it does not count.
     *
     * @param connection the connection, in a transaction
     * @param key the entity's id
     * @return the status and version of the locked row, or empty if it could not be locked or there is no such row
     * @throws SQLException if the statement fails
     */
    public Optional<EntityRow> lockIfFree(Connection connection, Object key) throws SQLException {
        return locked(rows, rows.lockIfFree(), connection, key);
    }

    private Optional<EntityRow> locked(RowQueries queries, Sql locking, Connection connection, Object key)
            throws SQLException {
        Optional<EntityRow> locked = row(locking, connection, key);
        // If the status is in another table, only a statement that begins after the lock reads the locked status.
        return locked.isEmpty() || isFlippedByOneStatement() ? locked : row(queries.read(), connection, key);
    }

    Optional<EntityRow> readVisible(Connection connection, Object key) throws SQLException {
        return row(visibleRows.read(), connection, key);
    }

    private Optional<EntityRow> row(Sql statement, Connection connection, Object key) throws SQLException {
        return bind(statement.on(connection), key)
                .first(row -> new EntityRow(statuses.nameOfText(row.textOrNull("status")), row.number("version")));
    }

    /**
     * Flips an entity whose row this transaction has locked.
     *
     * @param connection the connection, in the transaction that holds the lock
     * @param key the entity's id
     * @param from the status that the entity must have
     * @param into the entity's new status
     * @return the new version, or empty if the entity did not have that status
     * @throws SQLException if a statement fails
     */
    public Optional<Long> flipLocked(Connection connection, Object key, String from, String into) throws SQLException {
        return flips.flip(connection, key, from, into);
    }

    /**
     * Returns the query for the ids of the entities that have one of these statuses.
     *
     * @param names the states
     * @return a query with the text columns {@code id}, {@code status} and, if rows have a tenant, {@code tenant}
     */
    public String idsIn(Collection<String> names) {
        return texts.idsIn(names);
    }

    /**
     * Returns the statement that creates an index for the search for entities with these statuses.
     *
     * @param names the states
     * @return a statement for a person to run
     */
    public String indexFor(Collection<String> names) {
        return texts.indexFor(names);
    }

    /** Returns true if the failure reports that another transaction has changed this same entity. */
    abstract boolean isEdited(Object id, @Nullable EntityRow seen, Throwable failure);

    /**
     * Evicts an entity from the caches of this node, because the library has written its row without JPA.
     *
     * @param key the entity's id
     */
    public abstract void forgetCached(Object key);

    LastFlip lastFlip() {
        return lastFlip;
    }

    Statuses statuses() {
        return statuses;
    }

    MappedColumns columns() {
        return columns;
    }

    EntityStatements texts() {
        return texts;
    }

    @Override
    public String toString() {
        return "%s (%s)".formatted(entity.getSimpleName(), name());
    }
}
