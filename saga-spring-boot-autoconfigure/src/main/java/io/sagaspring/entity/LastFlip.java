package io.sagaspring.entity;

import io.sagaspring.fence.LogText;
import io.sagaspring.jdbc.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The flip at the end of a step whose entity JPA does not write. The flip takes place only if the row is as it was
 * before the action, or if the action itself has changed the row.
 */
final class LastFlip {

    private final EntityTable table;
    private final EntityStatements texts;
    private final Sql ownWrite;

    /** The parsed statements. There are few, because the statuses come from the workflows. */
    private final Map<Move, Sql> flips = new ConcurrentHashMap<>();

    LastFlip(EntityTable table, EntityStatements texts) {
        this.table = table;
        this.texts = texts;
        this.ownWrite = Sql.named("entity.own-write", texts.ownWrite());
    }

    private record Move(String from, String into) {}

    /** Returns true if this transaction was the last to write the row, even if the write came after a savepoint. */
    boolean isOwnWrite(Connection connection, Object id) throws SQLException {
        return table.bind(ownWrite.on(connection), id).finds();
    }

    /**
     * Flips the entity.
     *
     * @param connection the connection of the step's transaction
     * @param id the entity's id
     * @param seen the row before the action
     * @param target the new status
     * @throws LoadedEntity.EditedException if another transaction has changed or removed the row
     * @throws OtherStatusException if the action has written another status
     */
    LoadedEntity.Flipped flip(Connection connection, Object id, EntityRow seen, String target) throws SQLException {
        if (table.isFlippedByOneStatement()) {
            Optional<Long> version = inOneStatement(connection, id, seen, target);
            return version.isPresent()
                    ? LoadedEntity.Flipped.to(version.get())
                    : notFlipped(
                            connection, id, table.readVisible(connection, id).orElse(null), target);
        }
        EntityRow locked = table.lockVisible(connection, id).orElse(null);
        if (locked != null && (locked.equals(seen) || isOwnChange(connection, id, locked, seen, target))) {
            Optional<Long> version = table.flipLocked(connection, id, locked.status(), target);
            if (version.isPresent()) {
                return LoadedEntity.Flipped.to(version.get());
            }
        }
        return notFlipped(connection, id, locked, target);
    }

    private Optional<Long> inOneStatement(Connection connection, Object id, EntityRow seen, String target)
            throws SQLException {
        Sql flip = flips.computeIfAbsent(
                new Move(seen.status(), target),
                move -> Sql.named("entity.flip-last", texts.flipLast(move.from(), move.into())));
        return table.bind(flip.on(connection), id)
                .with("version", seen.version())
                .first(row -> row.number("version"));
    }

    private boolean isOwnChange(Connection connection, Object id, EntityRow now, EntityRow seen, String target)
            throws SQLException {
        return (now.status().equals(seen.status()) || now.status().equals(target)) && isOwnWrite(connection, id);
    }

    private LoadedEntity.Flipped notFlipped(Connection connection, Object id, @Nullable EntityRow now, String target)
            throws SQLException {
        if (now == null) {
            // Read the row in a separate transaction. If the row still exists there, the step's own transaction has
            // removed it.
            if (table.read(id).isPresent()) {
                return LoadedEntity.Flipped.REMOVED;
            }
            throw new LoadedEntity.EditedException(null);
        }
        if (!isOwnWrite(connection, id)) {
            throw new LoadedEntity.EditedException(null);
        }
        throw new OtherStatusException(
                "%s %s".formatted(table.entity().getSimpleName(), LogText.of(table.text(id))), now.status(), target);
    }
}
