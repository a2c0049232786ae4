package io.sagaspring.entity;

import io.sagaspring.jdbc.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.PersistenceContext;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/** The version that JPA has written in the transaction of a step. */
final class StepVersion {

    private final MappedTable table;
    private final @Nullable VersionTime time;
    private final EntityStatements texts;
    private volatile @Nullable Sql raise;

    StepVersion(MappedTable table, EntityStatements texts) {
        this.table = table;
        this.time = texts.columns().version().time();
        this.texts = texts;
    }

    /**
     * Increments a version that is a time, unless JPA has written a later version. JPA writes the time of the JVM's
     * clock, which may be the same as the old version, or even earlier. If an old version appeared again, the check of
     * the version would not notice a stale writer.
     *
     * @param session the session that has flushed the entity
     * @param connection its connection
     * @param id the entity's id
     * @param before the version that was loaded
     * @throws SQLException if the statement fails
     */
    void raiseAbove(SharedSessionContractImplementor session, Connection connection, Object id, long before)
            throws SQLException {
        if (time == null) {
            return;
        }
        PersistenceContext context = session.getPersistenceContext();
        EntityPersister persister = table.persister();
        Object managed = context.getEntity(session.generateEntityKey(id, persister));
        if (managed != null && time.isExact() && table.versionOf(managed) > before) {
            return;
        }
        boolean raised = table.bind(raise(time).on(connection), id)
                        .with("before", before)
                        .update()
                > 0;
        EntityEntry entry = raised && managed != null ? context.getEntry(managed) : null;
        if (entry != null) {
            entry.forceLocked(managed, persister.getCurrentVersion(id, session));
        }
    }

    private Sql raise(VersionTime time) {
        Sql known = raise;
        if (known == null) {
            known = Sql.named("entity.raise-above", texts.raiseVersionAbove(time));
            raise = known;
        }
        return known;
    }
}
