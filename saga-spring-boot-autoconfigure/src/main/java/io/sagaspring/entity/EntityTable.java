package io.sagaspring.entity;

import io.sagaspring.fence.LogText;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The columns of an entity's id, status and version, and the statements that read and flip them. Every flip requires
 * the status that it starts from, raises the version as JPA would, and reports if it took place.
 *
 * @since 0.1.0
 */
public final class EntityTable {

    private static final Logger logger = LoggerFactory.getLogger(EntityTable.class);

    private final Class<?> entity;
    private final PersistenceUnit unit;
    private final MappedColumns columns;
    private final StatusProperty status;
    private final EntityIds ids;
    private final Statuses statuses;
    private final EntityStatements texts;
    private final Sql read;
    private final Sql lock;
    private final Sql lockIfFree;
    private final Sql raiseVersion;
    private final Sql ownWrite;

    /** The parsed statements that flip, so that each is parsed once. */
    private final Map<Flip, Sql> flips = new ConcurrentHashMap<>();

    private volatile @Nullable TableLocation location;

    EntityTable(
            MappedEntity mapped,
            MappedColumns columns,
            JdbcMapping id,
            StatusProperty status,
            Statuses statuses,
            LastModified modified) {
        this.entity = mapped.type();
        this.unit = mapped.unit();
        this.columns = columns;
        this.status = status;
        this.ids = new EntityIds(entity, unit, columns, id);
        this.statuses = statuses;
        this.texts = new EntityStatements(columns, ids, statuses, modified);
        // Lock both tables: a janitor that skips locked rows must not wait when it writes to the second table.
        String locking = texts.row() + " FOR NO KEY UPDATE OF " + (isFlippedByOneStatement() ? "v" : "v, s");
        this.read = Sql.named("entity.read", texts.row());
        this.lock = Sql.named("entity.lock", locking);
        this.lockIfFree = Sql.named("entity.lock-if-free", locking + " SKIP LOCKED");
        this.raiseVersion = Sql.named("entity.raise-version", texts.raiseVersion());
        this.ownWrite = Sql.named("entity.own-write", texts.ownWrite());
    }

    /**
     * Returns the name of the entity's table in the ledger. Classes and persistence units over one table share the
     * name.
     *
     * @return the table that holds the version, with its schema unless that is {@code public}
     */
    public String name() {
        return location().name();
    }

    private TableLocation location() {
        TableLocation known = location;
        if (known == null) {
            known = TableLocation.of(unit, columns.versionTable(), columns.versionId());
            location = known.exists() ? known : null;
        }
        return known;
    }

    /**
     * Returns the entity's class.
     *
     * @return the mapped class
     */
    public Class<?> entity() {
        return entity;
    }

    /**
     * Lists the constants of the enum that holds the status.
     *
     * @return the names in the order of the enum; empty if the status is a String
     */
    public List<String> statusConstants() {
        return List.copyOf(statuses.known().keySet());
    }

    /**
     * Returns the persistence unit that manages the entity.
     *
     * @return the persistence unit
     */
    public PersistenceUnit unit() {
        return unit;
    }

    /**
     * Returns the library's own transactions over the entity's database.
     *
     * @return the same object for every caller
     */
    public OwnTransactions own() {
        return unit.own();
    }

    /**
     * Loads an entity in the transaction of foreign code, without the second-level cache.
     *
     * @param entityManager the entity manager of the transaction
     * @param id the entity's id
     * @return the entity, or empty if there is none
     */
    public Optional<LoadedEntity> load(EntityManager entityManager, Object id) {
        return LoadedEntity.find(this, entityManager, id);
    }

    /**
     * Runs statements that flip an entity without JPA, and commits them together. The entity is then evicted from the
     * second-level cache.
     *
     * @param description the work as the subject of a sentence, for messages
     * @param id the entity's id
     * @param statements the statements, which also return the transaction's number
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
     * Returns true if one statement can flip the entity. Only then does PostgreSQL check the predicate again after it
     * has waited for a lock.
     *
     * @return true if status and version are in one table
     */
    public boolean isFlippedByOneStatement() {
        return columns.versionTable().equals(columns.statusTable());
    }

    /**
     * Converts the ledger's text to an id.
     *
     * @param key the id as the database spells it
     * @return an id of the entity's type
     * @throws NoSuchIdException if the text is no id of this entity
     */
    public Object idOf(String key) {
        return ids.ofKey(key);
    }

    /**
     * Converts a caller's value to the id as its row spells it. The database may treat several spellings as equal.
     *
     * @param given the id itself, a number of another width, or the id's text
     * @return the id that JPA knows, or the converted value if there is no such row
     * @throws NoSuchIdException if the value is no id of this entity
     */
    public Object rowId(Object given) {
        return spelledInRow(ids.of(given));
    }

    /**
     * Converts the ledger's text like {@link #rowId}.
     *
     * @param key the id as the database spells it
     * @return the id that JPA knows, or the converted text if there is no such row
     */
    public Object rowIdOf(String key) {
        return spelledInRow(ids.ofKey(key));
    }

    private Object spelledInRow(Object id) {
        return location().keepsSpelling() ? id : ids.stored(id);
    }

    /**
     * Wraps an id as the value of a parameter.
     *
     * @param value the id
     * @return the parameter's value for a statement
     */
    public SqlCall.Value bound(Object value) {
        return (statement, index) -> ids.bind(statement, index, value);
    }

    /**
     * Returns the query for the ledger's text of an entity's id.
     *
     * @return a subquery with one parameter, {@code :id}
     */
    public String keyQuery() {
        return texts.keyQuery();
    }

    /**
     * Returns the statement that updates status and version if the entity has the expected status.
     *
     * @param from the status that the entity must have
     * @param into the entity's new status
     * @param versioned true to add a parameter for the expected version, {@code :version}
     * @return a statement with the parameter {@code :id}, which returns the new version as {@code version} and the
     *     ledger's text of the id as {@code id}
     */
    public String flip(String from, String into, boolean versioned) {
        return texts.flip(from, into, versioned);
    }

    /**
     * Reads the committed row like {@link #read(Connection, Object)}, in a transaction of its own.
     *
     * @param id the entity's id
     * @return the row, or empty if there is none
     */
    public Optional<EntityRow> read(Object id) {
        return own().single(connection -> read(connection, id));
    }

    /**
     * Reads the committed row without a persistence context.
     *
     * @param connection the connection
     * @param key the entity's id
     * @return the row, or empty if there is none
     * @throws SQLException if the statement fails
     */
    public Optional<EntityRow> read(Connection connection, Object key) throws SQLException {
        return row(read, connection, key);
    }

    /**
     * Locks the entity as an update of its status would. Waits while another transaction holds the lock.
     *
     * @param connection the connection, in a transaction
     * @param key the entity's id
     * @return the status and version of the locked row, or empty if there is no such row
     * @throws SQLException if the statement fails
     */
    public Optional<EntityRow> lock(Connection connection, Object key) throws SQLException {
        return locked(lock, connection, key);
    }

    /**
     * Locks the entity unless another transaction has locked it. The lock of a foreign key that refers to the entity
     * does not count.
     *
     * @param connection the connection, in a transaction
     * @param key the entity's id
     * @return the status and version of the locked row, or empty if it could not be locked or there is no such row
     * @throws SQLException if the statement fails
     */
    public Optional<EntityRow> lockIfFree(Connection connection, Object key) throws SQLException {
        return locked(lockIfFree, connection, key);
    }

    private Optional<EntityRow> locked(Sql locking, Connection connection, Object key) throws SQLException {
        Optional<EntityRow> locked = row(locking, connection, key);
        // If the status is in another table, only a statement that begins after the lock sees the protected status.
        return locked.isEmpty() || isFlippedByOneStatement() ? locked : row(read, connection, key);
    }

    private Optional<EntityRow> row(Sql statement, Connection connection, Object key) throws SQLException {
        return statement
                .on(connection)
                .with("id", bound(key))
                .first(row -> new EntityRow(statuses.nameOf(row.textOrNull("status")), row.number("version")));
    }

    private record Flip(String from, String into) {}

    /**
     * Returns the statement for a flip. Statements for a text status are not cached, because the number of possible
     * texts is unlimited.
     */
    private Sql statement(Flip flip, Function<Flip, Sql> written) {
        return statuses.known().isEmpty() ? written.apply(flip) : flips.computeIfAbsent(flip, written);
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
        if (isFlippedByOneStatement()) {
            Sql flip = statement(new Flip(from, into), each -> Sql.named("entity.flip", flip(from, into, false)));
            return flipped(flip, connection, key);
        }
        Optional<Long> version = flipped(raiseVersion, connection, key);
        Sql move =
                statement(new Flip(from, into), each -> Sql.named("entity.move-status", texts.moveStatus(from, into)));
        Optional<Long> moved = flipped(move, connection, key);
        if (version.isPresent() != moved.isPresent()) {
            throw new IllegalStateException(
                    "%s %s was locked, but its status has changed nevertheless. Other code writes %s without raising the version in %s. Let it raise the version."
                            .formatted(entity.getSimpleName(), key, columns.statusTable(), columns.versionTable()));
        }
        return version;
    }

    private Optional<Long> flipped(Sql flip, Connection connection, Object key) throws SQLException {
        return flip.on(connection).with("id", bound(key)).first(row -> row.number("version"));
    }

    /**
     * Returns the query for the ids of the entities in one of these states.
     *
     * @param names the states
     * @return a query with the columns {@code id} and {@code status}, both as text
     */
    public String idsIn(Collection<String> names) {
        return texts.idsIn(names);
    }

    /**
     * Returns the statement that creates an index for the search for entities in these states.
     *
     * @param names the states
     * @return a statement for a person to run
     */
    public String indexFor(Collection<String> names) {
        return texts.indexFor(names);
    }

    /**
     * Returns true if a failure reports that another transaction has changed this same entity.
     *
     * @param id the entity's id
     * @param failure the exception of JPA or foreign code
     * @return true if the failure is an optimistic-locking failure on this entity
     */
    public boolean isEdited(Object id, Throwable failure) {
        return OptimisticFailure.isAbout(this, id, failure);
    }

    /**
     * Evicts an entity from the second-level cache, because the library has written its row without JPA.
     *
     * @param key the entity's id
     */
    public void forgetCached(Object key) {
        try {
            unit.sessionFactory().getCache().evict(entity, key);
        } catch (RuntimeException unreachable) {
            // The write is committed, and a cache that cannot be reached does not change that.
            logger.warn("Could not evict {} {} from the second-level cache", this, LogText.of(key), unreachable);
        }
    }

    Statuses.Value statusNamed(String name) {
        return statuses.of(name);
    }

    StatusProperty status() {
        return status;
    }

    Sql ownWrite() {
        return ownWrite;
    }

    EntityPersister persister() {
        return unit.sessionFactory().getMappingMetamodel().getEntityDescriptor(entity);
    }

    @Override
    public String toString() {
        return "%s (%s)".formatted(entity.getSimpleName(), name());
    }
}
