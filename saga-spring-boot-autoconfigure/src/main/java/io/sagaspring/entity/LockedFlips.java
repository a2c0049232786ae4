package io.sagaspring.entity;

import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** The flips of entities whose rows the transaction has locked. */
final class LockedFlips {

    private final EntityTable table;
    private final MappedColumns columns;
    private final EntityStatements texts;
    private final Statuses statuses;

    /** The parsed statements. */
    private final Map<Flip, Sql> flips = new ConcurrentHashMap<>();

    LockedFlips(EntityTable table, MappedColumns columns, EntityStatements texts, Statuses statuses) {
        this.table = table;
        this.columns = columns;
        this.texts = texts;
        this.statuses = statuses;
    }

    private record Flip(String from, String into) {}

    /**
     * Returns the statement for a flip. Statements are not cached if the status has no constants, because then the
     * number of possible statuses is unlimited.
     */
    private Sql statement(Flip flip, Function<Flip, Sql> written) {
        return statuses.known().isEmpty() ? written.apply(flip) : flips.computeIfAbsent(flip, written);
    }

    /** Flips an entity. Returns the new version, or empty if the entity did not have the expected status. */
    Optional<Long> flip(Connection connection, Object key, String from, String into) throws SQLException {
        if (table.isFlippedByOneStatement()) {
            Sql flip = statement(
                    new Flip(from, into), each -> Sql.named("entity.flip", texts.flip(from, into, false, false)));
            return version(table.bind(flip.on(connection), key));
        }
        Optional<Long> version = version(table.bind(
                Sql.named("entity.raise-version", texts.raiseVersion()).on(connection), key));
        Sql move =
                statement(new Flip(from, into), each -> Sql.named("entity.move-status", texts.moveStatus(from, into)));
        // Bind no tenant, because the status's table has no tenant column. The row of the version's table, which is
        // locked, belongs to this tenant.
        Optional<Long> moved = version(texts.ids().bind(move.on(connection), key));
        if (version.isPresent() != moved.isPresent()) {
            throw new IllegalStateException(
                    "%s %s was locked, but its status has changed nevertheless. Other code writes to the table %s without incrementing the version in the table %s. Make that code increment the version."
                            .formatted(
                                    table.entity().getSimpleName(),
                                    table.text(key),
                                    columns.statusTable(),
                                    columns.versionTable()));
        }
        return version;
    }

    private static Optional<Long> version(SqlCall flip) throws SQLException {
        return flip.first(row -> row.number("version"));
    }
}
