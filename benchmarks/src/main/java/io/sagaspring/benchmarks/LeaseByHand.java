package io.sagaspring.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A lease with a token, written by hand with as few statements as possible. */
record LeaseByHand(DataSource pool) {

    static final String TABLE = """
            DROP TABLE IF EXISTS lease_by_hand;
            CREATE TABLE lease_by_hand (name text PRIMARY KEY, token bigint NOT NULL, until timestamptz NOT NULL);
            CREATE SEQUENCE IF NOT EXISTS lease_by_hand_token;
            DROP TABLE IF EXISTS shedlock;
            CREATE TABLE shedlock (name text PRIMARY KEY, lock_until timestamp NOT NULL, locked_at timestamp NOT NULL,
                locked_by text NOT NULL)
            """;

    void holdOnce(String name) {
        long token = acquire(name);
        require(verify(name, token));
        require(renew(name, token));
        require(verify(name, token));
        require(release(name, token));
    }

    private static void require(boolean done) {
        if (!done) {
            throw new IllegalStateException("The lease was not acquired, or was lost");
        }
    }

    private long acquire(String name) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement("""
                        INSERT INTO lease_by_hand AS l VALUES (?, nextval('lease_by_hand_token'), clock_timestamp() + INTERVAL '30s')
                        ON CONFLICT (name) DO UPDATE SET token = excluded.token, until = excluded.until
                        WHERE l.until <= clock_timestamp() RETURNING token""")) {
            statement.setString(1, name);
            try (ResultSet granted = statement.executeQuery()) {
                require(granted.next());
                return granted.getLong(1);
            }
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private boolean verify(String name, long token) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "SELECT until > clock_timestamp() FROM lease_by_hand WHERE name = ? AND token = ?")) {
            statement.setString(1, name);
            statement.setLong(2, token);
            try (ResultSet found = statement.executeQuery()) {
                return found.next() && found.getBoolean(1);
            }
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private boolean renew(String name, long token) {
        return update("SET until = clock_timestamp() + INTERVAL '30s'", name, token);
    }

    private boolean release(String name, long token) {
        return update("SET until = clock_timestamp()", name, token);
    }

    private boolean update(String what, String name, long token) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement("UPDATE lease_by_hand " + what
                        + " WHERE name = ? AND token = ? AND until > clock_timestamp()")) {
            statement.setString(1, name);
            statement.setLong(2, token);
            return statement.executeUpdate() == 1;
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
