package io.sagaspring.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.OptionalLong;
import javax.sql.DataSource;

/**
 * The least work that gives the library's guarantee, written by hand in JDBC. The claim also writes a ledger row, so
 * that a crash can be repaired. The action's transaction loads and updates the entity, and deletes the ledger row by
 * its token.
 */
final class FairLimit implements Contender {

    static final String TABLE = "ball_fair";

    static final String LEDGER = """
            DROP TABLE IF EXISTS ball_fair_ledger;
            DROP SEQUENCE IF EXISTS ball_fair_token;
            CREATE SEQUENCE ball_fair_token;
            CREATE TABLE ball_fair_ledger (entity text NOT NULL, entity_id text NOT NULL, workflow text NOT NULL,
                claim_state text NOT NULL, revert_to text NOT NULL, requester text NOT NULL, node text NOT NULL,
                token bigint NOT NULL, claimed_at timestamptz NOT NULL, PRIMARY KEY (entity, entity_id))
                WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)
            """;

    private static final String CLAIM = """
            WITH flipped AS (UPDATE ball_fair SET status = ?, version = version + 1 WHERE id = ? AND status = ?
                RETURNING id)
            INSERT INTO ball_fair_ledger
                (entity, entity_id, workflow, claim_state, revert_to, requester, node, token, claimed_at)
            SELECT ?, ?, ?, ?, ?, ?, ?, nextval('ball_fair_token'), clock_timestamp() FROM flipped
            RETURNING token
            """;

    private final DataSource pool;

    FairLimit(DataSource pool) {
        this.pool = pool;
    }

    @Override
    public String table() {
        return TABLE;
    }

    @Override
    public boolean tryStroke(long ball, Ball.Stroke stroke) {
        try {
            OptionalLong token = claim(ball, stroke);
            return token.isPresent() && act(ball, stroke, token.getAsLong());
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private OptionalLong claim(long ball, Ball.Stroke stroke) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement claim = connection.prepareStatement(CLAIM)) {
            claim.setString(1, stroke.claim.name());
            claim.setLong(2, ball);
            claim.setString(3, stroke.from.name());
            claim.setString(4, TABLE);
            claim.setString(5, Long.toString(ball));
            claim.setString(6, ClaimApplication.WORKFLOW);
            claim.setString(7, stroke.claim.name());
            claim.setString(8, stroke.from.name());
            claim.setString(9, ClaimApplication.PLAYER.name());
            claim.setString(10, "a node");
            try (ResultSet claimed = claim.executeQuery()) {
                return claimed.next() ? OptionalLong.of(claimed.getLong(1)) : OptionalLong.empty();
            }
        }
    }

    private boolean act(long ball, Ball.Stroke stroke, long token) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            boolean moved = move(connection, ball, stroke) && remove(connection, ball, token);
            if (moved) {
                connection.commit();
            } else {
                connection.rollback();
            }
            return moved;
        }
    }

    private static boolean move(Connection connection, long ball, Ball.Stroke stroke) throws SQLException {
        long hits;
        long version;
        try (PreparedStatement load =
                connection.prepareStatement("SELECT id, status, hits, version FROM ball_fair WHERE id = ?")) {
            load.setLong(1, ball);
            try (ResultSet loaded = load.executeQuery()) {
                if (!loaded.next() || !loaded.getString(2).equals(stroke.claim.name())) {
                    return false;
                }
                hits = loaded.getLong(3);
                version = loaded.getLong(4);
            }
        }
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE ball_fair SET status = ?, hits = ?, version = ? WHERE id = ? AND version = ?")) {
            update.setString(1, stroke.into.name());
            update.setLong(2, hits + 1);
            update.setLong(3, version + 1);
            update.setLong(4, ball);
            update.setLong(5, version);
            return update.executeUpdate() == 1;
        }
    }

    private static boolean remove(Connection connection, long ball, long token) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(
                "DELETE FROM ball_fair_ledger WHERE entity = ? AND entity_id = ? AND token = ?")) {
            delete.setString(1, TABLE);
            delete.setString(2, Long.toString(ball));
            delete.setLong(3, token);
            return delete.executeUpdate() == 1;
        }
    }
}
