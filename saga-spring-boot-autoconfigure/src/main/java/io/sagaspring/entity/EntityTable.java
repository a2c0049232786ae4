package io.sagaspring.entity;

import io.sagaspring.fence.LogText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hibernate.Hibernate;
import org.hibernate.engine.internal.ManagedTypeHelper;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where an entity's id, status and version lie, and the statements that read and flip them. Every flip is conditional on
 * the status it starts from, raises the version as JPA would, and says whether it took place.
 */
public final class EntityTable {

    private static final Logger logger = LoggerFactory.getLogger(EntityTable.class);

    private final Class<?> entity;
    private final PersistenceUnit unit;
    private final MappedColumns columns;
    private final AttributeMapping status;
    private final EntityIds ids;
    private final Statuses statuses;
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
     * Binds an id to a statement of a caller's own.
     *
     * @param statement the statement
     * @param index which parameter
     * @param value the id
     * @throws SQLException if the driver refuses
     */
    public void bindId(PreparedStatement statement, int index, Object value) throws SQLException {
        ids.bind(statement, index, value);
    }

    /**
     * Reads the id of an entity as the ledger knows it.
     *
     * @return a subquery with one parameter, the id
     */
    public String keyQuery() {
        return "(SELECT %s FROM %s AS i WHERE i.%s = ?)"
                .formatted(ids.keyOf("i"), columns.versionTable(), columns.versionId());
    }

    /**
     * The conditional update of one statement: status and version, where the entity is in the expected status.
     *
     * @param from the status it must be in
     * @param into the status it gets
     * @param versioned whether the statement ends with a parameter for the expected version
     * @return a statement whose first parameter is the id, and which returns the new version as {@code version} and the
     *     ledger's text of the id as {@code id}
     */
    public String flip(String from, String into, boolean versioned) {
        return "UPDATE %1$s AS t SET %2$s = %3$s, %4$s = t.%4$s + 1 WHERE t.%5$s = ? AND t.%2$s = %6$s%7$s%8$s RETURNING t.%4$s AS version, %9$s AS id"
                .formatted(
                        columns.versionTable(),
                        columns.status(),
                        literal(into),
                        columns.version(),
                        columns.versionId(),
                        literal(from),
                        columns.isOfThisClass("t." + columns.versionId()),
                        versioned ? " AND t.%s = ?".formatted(columns.version()) : "",
                        ids.keyOf("t"));
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
        return row(connection, key, "");
    }

    /**
     * Says whether the transaction that asks has written the version that is there, also behind a savepoint.
     *
     * @param connection in a transaction that has seen another version
     * @param key the entity's id
     * @return whether no other transaction has written it since
     * @throws SQLException if the statement fails
     */
    public boolean isOwnWrite(Connection connection, Object key) throws SQLException {
        // Behind a savepoint a row bears a number of its own. Of all that are visible only our own are in progress. The
        // number lacks its upper half, which is that of the nearest full one: the row is younger than this
        // transaction's
        // first look at it.
        try (PreparedStatement statement =
                connection.prepareStatement("""
                SELECT 1 FROM (SELECT t.xmin::text::bigint AS written, pg_catalog.pg_current_xact_id()::text::bigint AS own
                    FROM %s AS t WHERE t.%s = ?) AS x
                WHERE pg_catalog.pg_xact_status(
                    (written + (own - written + 2147483648) / 4294967296 * 4294967296)::text::pg_catalog.xid8)
                    = 'in progress'""".formatted(columns.versionTable(), columns.versionId()))) {
            bindId(statement, 1, key);
            try (ResultSet found = statement.executeQuery()) {
                return found.next();
            }
        }
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
        return locked(connection, key, "");
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
        return locked(connection, key, " SKIP LOCKED");
    }

    private Optional<EntityRow> locked(Connection connection, Object key, String waiting) throws SQLException {
        // Both tables: who skips what is locked must not wait for the second one when it writes there.
        String tables = isFlippedByOneStatement() ? "v" : "v, s";
        Optional<EntityRow> locked = row(connection, key, " FOR NO KEY UPDATE OF " + tables + waiting);
        // Where the status lies in another table, only a statement that begins after the lock sees what it protects.
        return locked.isEmpty() || isFlippedByOneStatement() ? locked : row(connection, key, "");
    }

    private Optional<EntityRow> row(Connection connection, Object key, String clause) throws SQLException {
        String sql = "SELECT %s::text, v.%s FROM %s AS v%s WHERE v.%s = ?%s%s"
                .formatted(
                        columns.statusOf("v"),
                        columns.version(),
                        columns.versionTable(),
                        columns.joinStatus("v"),
                        columns.versionId(),
                        columns.isOfThisClass("v." + columns.versionId()),
                        clause);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bindId(statement, 1, key);
            try (ResultSet found = statement.executeQuery()) {
                return found.next()
                        ? Optional.of(new EntityRow(statuses.nameOf(found.getString(1)), found.getLong(2)))
                        : Optional.empty();
            }
        }
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
            return flipped(connection, flip(from, into, false), key);
        }
        Optional<Long> version = flipped(
                connection,
                "UPDATE %1$s SET %2$s = %2$s + 1 WHERE %3$s = ? RETURNING %2$s"
                        .formatted(columns.versionTable(), columns.version(), columns.versionId()),
                key);
        Optional<Long> moved = flipped(
                connection,
                "UPDATE %1$s SET %2$s = %3$s WHERE %4$s = ? AND %2$s = %5$s RETURNING 1"
                        .formatted(
                                columns.statusTable(),
                                columns.status(),
                                literal(into),
                                columns.statusId(),
                                literal(from)),
                key);
        if (version.isPresent() != moved.isPresent()) {
            throw new IllegalStateException(
                    "%s %s is locked, and its status has changed nevertheless: something writes %s without touching the version in %s."
                            .formatted(entity.getSimpleName(), key, columns.statusTable(), columns.versionTable()));
        }
        return version;
    }

    private Optional<Long> flipped(Connection connection, String sql, Object key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bindId(statement, 1, key);
            try (ResultSet hit = statement.executeQuery()) {
                return hit.next() ? Optional.of(hit.getLong(1)) : Optional.empty();
            }
        }
    }

    /**
     * The ids of the entities in one of these states.
     *
     * @param names the states
     * @return a query with the columns {@code id} and {@code status}, both as text
     */
    public String idsIn(Collection<String> names) {
        return "SELECT %s AS id, %s AS status FROM %s AS v%s WHERE %s IN (%s)%s"
                .formatted(
                        ids.keyOf("v"),
                        statusNameIn(columns.statusOf("v"), names),
                        columns.versionTable(),
                        columns.joinStatus("v"),
                        columns.statusOf("v"),
                        names.stream().map(this::literal).collect(Collectors.joining(", ")),
                        columns.isOfThisClass("v." + columns.versionId()));
    }

    private String statusNameIn(String column, Collection<String> names) {
        return names.stream()
                .map(name -> "WHEN %s THEN '%s'".formatted(literal(name), name.replace("'", "''")))
                .collect(Collectors.joining(" ", "CASE %s ".formatted(column), " END"));
    }

    /**
     * The index that makes the search for entities in these states cheap.
     *
     * @param names the states
     * @return a statement for a person to run
     */
    public String indexFor(Collection<String> names) {
        return "CREATE INDEX CONCURRENTLY ON %s (%s) WHERE %s IN (%s)"
                .formatted(
                        columns.statusTable(),
                        columns.statusId(),
                        columns.status(),
                        names.stream().map(this::literal).collect(Collectors.joining(", ")));
    }

    /**
     * The status that an entity in memory has.
     *
     * @param instance the entity
     * @return its name
     */
    public String statusOf(Object instance) {
        Object value = status.getValue(Hibernate.unproxy(instance));
        // A column of fixed width pads what it holds.
        return value instanceof Enum<?> constant
                ? constant.name()
                : String.valueOf(value).stripTrailing();
    }

    /**
     * The version that an entity in memory has.
     *
     * @param instance the entity
     * @return its version
     */
    public long versionOf(Object instance) {
        Object version = unit.sessionFactory()
                .getMappingMetamodel()
                .getEntityDescriptor(entity)
                .getVersion(Hibernate.unproxy(instance));
        return version instanceof Number number ? number.longValue() : 0;
    }

    /**
     * Whether an object is this very entity.
     *
     * @param instance any object
     * @param key the entity's id
     * @return whether it is of the entity's class and has this id
     */
    public boolean isInstance(Object instance, Object key) {
        Object found = Hibernate.unproxy(instance);
        return entity.isInstance(found)
                && key.equals(unit.sessionFactory().getPersistenceUnitUtil().getIdentifier(found));
    }

    /**
     * Whether a name is that of the entity, or of a class that extends it.
     *
     * @param name the name of an entity, as JPA reports it
     * @return whether it may be one of ours
     */
    public boolean isCalled(String name) {
        EntityPersister found = unit.sessionFactory().getMappingMetamodel().findEntityDescriptor(name);
        return found != null && entity.isAssignableFrom(found.getMappedClass());
    }

    /**
     * Gives an entity in memory a status. JPA writes it, with the version, when it flushes.
     *
     * @param instance the entity
     * @param name the status
     */
    public void setStatus(Object instance, String name) {
        Object entity = Hibernate.unproxy(instance);
        status.setValue(entity, statuses.of(name).domain());
        // An enhanced entity tells what has changed, and does not notice what is set past its methods.
        ManagedTypeHelper.processIfSelfDirtinessTracker(
                entity, (tracker, attribute) -> tracker.$$_hibernate_trackChange(attribute), status.getAttributeName());
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

    private String literal(String name) {
        return statuses.of(name).literal();
    }

    @Override
    public String toString() {
        return "%s (%s)".formatted(entity.getSimpleName(), name());
    }
}
