package io.sagaspring.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Two conditional updates, each in its own commit. After a crash between the two, the table shows neither the owner nor
 * the time of the claim.
 */
final class NaiveLimit implements Contender {

    static final String TABLE = "ball_naive";

    private final DataSource pool;

    NaiveLimit(DataSource pool) {
        this.pool = pool;
    }

    @Override
    public String table() {
        return TABLE;
    }

    @Override
    public boolean tryStroke(long ball, Ball.Stroke stroke) {
        return moved(
                        "UPDATE ball_naive SET status = ?, version = version + 1 WHERE id = ? AND status = ?",
                        ball,
                        stroke.from,
                        stroke.claim)
                && moved(
                        "UPDATE ball_naive SET status = ?, hits = hits + 1, version = version + 1 WHERE id = ? AND status = ?",
                        ball,
                        stroke.claim,
                        stroke.into);
    }

    private boolean moved(String sql, long ball, Ball.Status from, Ball.Status into) {
        try (Connection connection = pool.getConnection();
                PreparedStatement update = connection.prepareStatement(sql)) {
            update.setString(1, into.name());
            update.setLong(2, ball);
            update.setString(3, from.name());
            return update.executeUpdate() == 1;
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
