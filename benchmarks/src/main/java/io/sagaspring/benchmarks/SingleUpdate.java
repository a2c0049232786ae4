package io.sagaspring.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * One conditional update, which is all that a transition needs under a lock. The lock's table records the owner, so the
 * entity's table does not.
 */
final class SingleUpdate {

    private final DataSource pool;
    private final String sql;

    SingleUpdate(DataSource pool, String table) {
        this.pool = pool;
        this.sql = "UPDATE %s SET status = ?, hits = hits + 1, version = version + 1 WHERE id = ? AND status = ?"
                .formatted(table);
    }

    boolean moved(long ball, Ball.Stroke stroke) {
        try (Connection connection = pool.getConnection();
                PreparedStatement update = connection.prepareStatement(sql)) {
            update.setString(1, stroke.into.name());
            update.setLong(2, ball);
            update.setString(3, stroke.from.name());
            return update.executeUpdate() == 1;
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
