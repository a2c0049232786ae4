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
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where an entity's id, status and version lie, and the statements that read and flip them. Every flip is conditional on
 * the status it starts from, raises the version as JPA would, and says whether it took place.
 *
 * @since 0.1.0
 */
public final class EntityTable {

    private static final Logger logger = LoggerFactory.getLogger(EntityTable.class);

    private final Class<?> entity;
    private final PersistenceUnit unit;
    private final MappedColumns columns;
    private final AttributeMapping status;
    private final EntityIds ids;
    private final Statuses statuses;
    private final EntityStatements texts;
    private final Sql read;
    private final Sql lock;
    private final Sql lockIfFree;
    private final Sql raiseVersion;
    private final Sql ownWrite;

    /** What is flipped again and again is parsed once. */
    private final Map<Flip, Sql> flips = new ConcurrentHashMap<>();

    private volatile @Nullable TableLocation location;

    EntityTable(
            Class<?> entity,
            PersistenceUnit unit,
            MappedColumns columns,
            AttributeMapping status,
            JdbcMapping id,
            Statuses statuses) {
        this.entity = entity;
        this.unit = unit;
        this.columns = columns;
        this.status = status;
        this.ids = new EntityIds(entity, unit, columns, id);
        this.statuses = statuses;
        this.texts = new EntityStatements(columns, ids, statuses);
        // Both tables: who skips what is locked must not wait for the second one when it writes there.
        String locking = texts.row() + " FOR NO KEY UPDATE OF " + (isFlippedByOneStatement() ? "v" : "v, s");
        this.read = Sql.named("entity.read", texts.row());
        this.lock = Sql.named("entity.lock", locking);
        this.lockIfFree = Sql.named("entity.lock-if-free", locking + " SKIP LOCKED");
        this.raiseVersion = Sql.named("entity.raise-version", texts.raiseVersion());
        this.ownWrite = Sql.named("entity.own-write", texts.ownWrite());
    }

    /**
     * Returns the name under which the ledger knows the entity. Classes and persistence units over one table share it.
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
     * The entity's class.
     *
     * @return as it is mapped
     */
    public Class<?> entity() {
        return entity;
    }

    /**
     * The constants of the enum that holds the status.
     *
     * @return their names in their order; none if the status is a String
     */
    public List<String> statusConstants() {
        return List.copyOf(statuses.known().keySet());
    }

    /**
     * The unit that manages the entity.
     *
     * @return the persistence unit
     */
    public PersistenceUnit unit() {
        return unit;
    }

    /**
     * Transactions of our own over the entity's database.
     *
     * @return the same for every caller
     */
    public OwnTransactions own() {
        return unit.own();
    }

    /**
     * Loads an entity in the transaction of foreign code, past the second-level cache.
     *
     * @param entityManager that of the transaction
     * @param id the entity's id
     * @return the entity, or empty if there is none
     */
    public Optional<LoadedEntity> load(EntityManager entityManager, Object id) {
        return LoadedEntity.find(this, entityManager, id);
    }

    /**
     * Runs statements that flip an entity past JPA, and commits them together. The second-level cache forgets the entity.
     *
     * @param what what they do, as the subject of a sentence
     * @param id the entity's id
     * @param statements execute them, and tell the transaction's number
     * @param <T> what they find
     * @return what they found, committed
     */
    public <T extends @Nullable Object> T decided(
            String what, Object id, OwnTransactions.Work<OwnTransactions.Decided<T>> statements) {
        T found = own().decided(what, statements);
        forgetCached(id);
        return found;
    }

    /**
     * Whether one statement can flip it: only then PostgreSQL checks the predicate again after it has waited for a lock.
     *
     * @return whether status and version lie in one table
     */
    public boolean isFlippedByOneStatement() {
        return columns.versionTable().equals(columns.statusTable());
    }

    /**
     * Makes an id of what a caller gave: the id itself, a number of another width, or its text.
     *
     * @param given what identifies the entity
     * @return an id of the entity's type
     * @throws NoSuchIdException if it is no id of this entity
     */
    public Object id(Object given) {
        return ids.of(given);
    }

    /**
     * Makes an id of its text in the ledger.
     *
     * @param key the id as the database spells it
     * @return an id of the entity's type
     * @throws NoSuchIdException if the text is no id of this entity
     */
    public Object idOf(String key) {
        return ids.ofKey(key);
    }

    /**
     * Reads an id as the entity's row spells it: the database may take several spellings for the same id.
     *
     * @param given an id of the entity's type
     * @return the spelling that JPA knows the entity by, or the given one if there is no such row
     */
    public Object stored(Object given) {
        return location().keepsSpelling() ? given : ids.stored(given);
    }

    /**
     * Binds an id to a parameter.
     *
     * @param value the id
     * @return to be given to a statement
     */
    public SqlCall.Value bound(Object value) {
        return (statement, index) -> ids.bind(statement, index, value);
    }

    /**
     * Reads the id of an entity as the ledger knows it.
     *
     * @return a subquery with one parameter, {@code :id}
     */
    public String keyQuery() {
        return texts.keyQuery();
    }

    /**
     * The conditional update of one statement: status and version, where the entity is in the expected status.
     *
     * @param from the status it must be in
     * @param into the status it gets
     * @param versioned whether the statement has a parameter for the expected version, {@code :version}
     * @return a statement with the parameter {@code :id}, which returns the new version as {@code version} and the ledger's
     *     text of the id as {@code id}
     */
    public String flip(String from, String into, boolean versioned) {
        return texts.flip(from, into, versioned);
    }

    /**
     * Reads what is committed, beside any persistence context and in a transaction of its own.
     *
     * @param id the entity's id
     * @return what the row says, or empty if there is none
     */
    public Optional<EntityRow> read(Object id) {
        return own().single(connection -> read(connection, id));
    }

    /**
     * Reads what is committed, beside any persistence context.
     *
     * @param connection the connection
     * @param key the entity's id
     * @return what the row says, or nothing if there is none
     * @throws SQLException if the statement fails
     */
    public Optional<EntityRow> read(Connection connection, Object key) throws SQLException {
        return row(read, connection, key);
    }

    /**
     * Locks the entity as an update of its status would, waiting for whoever has it.
     *
     * @param connection in a transaction
     * @param key the entity's id
     * @return what the row says now that it is locked, or nothing if there is none
     * @throws SQLException if the statement fails
     */
    public Optional<EntityRow> lock(Connection connection, Object key) throws SQLException {
        return locked(lock, connection, key);
    }

    /**
     * Locks the entity unless somebody else has it. A foreign key that refers to it is nobody.
     *
     * @param connection in a transaction
     * @param key the entity's id
     * @return what the row says, or nothing if it is locked or there is none
     * @throws SQLException if the statement fails
     */
    public Optional<EntityRow> lockIfFree(Connection connection, Object key) throws SQLException {
        return locked(lockIfFree, connection, key);
    }

    private Optional<EntityRow> locked(Sql locking, Connection connection, Object key) throws SQLException {
        Optional<EntityRow> locked = row(locking, connection, key);
        // Where the status lies in another table, only a statement that begins after the lock sees what it protects.
        return locked.isEmpty() || isFlippedByOneStatement() ? locked : row(read, connection, key);
    }

    private Optional<EntityRow> row(Sql statement, Connection connection, Object key) throws SQLException {
        return statement
                .on(connection)
                .with("id", bound(key))
                .first(row -> new EntityRow(statuses.nameOf(row.textOrNull("status")), row.number("version")));
    }

    private record Flip(String from, String into) {}

    /** A status that is a text may have any number of values: their statements are not kept. */
    private Sql statement(Flip flip, Function<Flip, Sql> written) {
        return statuses.known().isEmpty() ? written.apply(flip) : flips.computeIfAbsent(flip, written);
    }

    /**
     * Flips an entity whose row this transaction has locked.
     *
     * @param connection in the transaction that holds the lock
     * @param key the entity's id
     * @param from the status it must be in
     * @param into the status it gets
     * @return the new version, or nothing if it was not in that status
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
                    "%s %s is locked, and its status has changed nevertheless: something writes %s without touching the version in %s."
                            .formatted(entity.getSimpleName(), key, columns.statusTable(), columns.versionTable()));
        }
        return version;
    }

    private Optional<Long> flipped(Sql flip, Connection connection, Object key) throws SQLException {
        return flip.on(connection).with("id", bound(key)).first(row -> row.number("version"));
    }

    /**
     * The ids of the entities in one of these states.
     *
     * @param names the states
     * @return a query with the columns {@code id} and {@code status}, both as text
     */
    public String idsIn(Collection<String> names) {
        return texts.idsIn(names);
    }

    /**
     * The index that makes the search for entities in these states cheap.
     *
     * @param names the states
     * @return a statement for a person to run
     */
    public String indexFor(Collection<String> names) {
        return texts.indexFor(names);
    }

    /**
     * Whether a failure says that another transaction has changed this very entity.
     *
     * @param id the entity's id
     * @param failure what JPA or foreign code has thrown
     * @return whether it is about the entity, and an optimistic lock
     */
    public boolean isEdited(Object id, Throwable failure) {
        return OptimisticFailure.isAbout(this, id, failure);
    }

    /**
     * Drops what the second-level cache remembers: we have written past it.
     *
     * @param key the entity's id
     */
    public void forgetCached(Object key) {
        try {
            unit.sessionFactory().getCache().evict(entity, key);
        } catch (RuntimeException unreachable) {
            // What was written is committed, and a cache that cannot be told does not change that.
            logger.warn("Could not drop {} {} from the second-level cache", this, LogText.of(key), unreachable);
        }
    }

    Statuses.Value statusNamed(String name) {
        return statuses.of(name);
    }

    AttributeMapping status() {
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
