package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * The keeper opens its own connection if that connection can renew leases. Otherwise the keeper uses a connection of
 * the pool.
 */
class KeeperConnectionTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final SagaSchema schema = SagaSchema.migrate(database.dataSource(), null);

    @AutoClose
    private final Pool pool = new Pool();

    @AfterAll
    static void drop() {
        database.close();
    }

    /** A pool whose connections work even if its JDBC URL does not. */
    private static final class Pool extends HikariDataSource {

        private int given;
        private boolean broken;

        Pool() {
            setJdbcUrl(database.getJdbcUrl());
            setUsername(database.getUsername());
            setPassword(database.getPassword());
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (broken) {
                throw new SQLException("The pool has none.", "08001");
            }
            given++;
            return database.dataSource().getConnection();
        }
    }

    @Test
    void theKeeperOpensAConnectionOutsideThePool() throws SQLException {
        pool.broken = true;

        try (Connection own = keeperDataSource(pool).getConnection()) {
            assertThat(own.isValid(5)).isTrue();
        }
        assertThat(pool.given).isZero();
    }

    /** With its own address, the keeper bypasses a pooler, whose connections long actions can use up. */
    @Test
    void theKeeperConnectsToItsOwnAddress() throws SQLException {
        String url = database.getJdbcUrl();
        KeeperProperties address = new KeeperProperties(
                null,
                true,
                url + (url.contains("?") ? "&" : "?") + "ApplicationName=past-the-pooler",
                database.getUsername(),
                "not asked for");
        pool.setJdbcUrl("jdbc:postgresql://localhost:1/nowhere");

        DataSource own = KeeperConnection.besides(pool, schema, Duration.ofSeconds(5), address);

        assertThat(JdbcClient.create(own)
                        .sql("SELECT current_setting('application_name')")
                        .query(String.class)
                        .single())
                .isEqualTo("past-the-pooler");
        assertThat(pool.given).isZero();
        assertThat(address.toString()).contains("past-the-pooler").doesNotContain("not asked for");
    }

    @Test
    void aKeeperAddressIsRefusedIfTheKeeperHasNoOwnConnection() {
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(() -> new KeeperProperties(null, false, "jdbc:postgresql://db/app", null, null))
                .withMessageContaining("saga.keeper.own-connection");
    }

    /** The keeper's connection may lack the tables because its user sees them only in a role that the pool sets. */
    @Test
    void aKeeperConnectionWithoutTheTablesIsClosedAndThePoolIsUsed() throws SQLException {
        try (TestDatabase elsewhere = TestDatabase.create()) {
            pool.setJdbcUrl(elsewhere.getJdbcUrl());
            String name = JdbcClient.create(elsewhere.dataSource())
                    .sql("SELECT current_database()")
                    .query(String.class)
                    .single();

            assertThatThePoolIsUsed();
            await().until(() -> JdbcClient.create(database.dataSource())
                            .sql("SELECT count(*) FROM pg_stat_activity WHERE datname = ?")
                            .param(name)
                            .query(Integer.class)
                            .single()
                    == 0);
        }
    }

    @Test
    void thePoolIsUsedIfTheKeepersConnectionIsReadOnly() throws SQLException {
        String url = database.getJdbcUrl();
        pool.setJdbcUrl(url + (url.contains("?") ? "&" : "?") + "options=-c%20default_transaction_read_only=on");

        assertThatThePoolIsUsed();
    }

    @Test
    void thePoolIsUsedIfTheKeepersConnectionIsRefused() throws SQLException {
        pool.setJdbcUrl("jdbc:postgresql://localhost:1/nowhere");

        assertThatThePoolIsUsed();
    }

    @Test
    void theErrorNamesBothReasonsIfBothConnectionsAreRefused() {
        pool.setJdbcUrl("jdbc:postgresql://localhost:1/nowhere");
        pool.broken = true;

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> keeperDataSource(pool).getConnection())
                .withMessageContaining("localhost:1")
                .satisfies(refused -> assertThat(refused.getSuppressed())
                        .singleElement()
                        .asString()
                        .contains("The pool has none."));
    }

    @Test
    void aDataSourceWithoutAKnownAddressIsUsedDirectly() {
        DataSource unknown = new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                return database.dataSource().getConnection();
            }

            @Override
            public Connection getConnection(String user, String password) throws SQLException {
                return getConnection();
            }
        };

        assertThat(keeperDataSource(unknown)).isSameAs(unknown);
    }

    private void assertThatThePoolIsUsed() throws SQLException {
        try (Connection connection = keeperDataSource(pool).getConnection()) {
            assertThat(connection.isValid(5)).isTrue();
        }
        assertThat(pool.given).isOne();
    }

    private static DataSource keeperDataSource(DataSource pool) {
        return KeeperConnection.besides(pool, schema, Duration.ofSeconds(5));
    }
}
