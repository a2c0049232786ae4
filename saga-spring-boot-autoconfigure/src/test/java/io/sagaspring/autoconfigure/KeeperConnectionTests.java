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

/** The keeper has a connection of its own where that can renew, and one of the pool where only the pool knows how. */
class KeeperConnectionTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final SagaSchema schema = SagaSchema.migrate(database.dataSource(), null);

    @AutoClose
    private final Pool pool = new Pool();

    @AfterAll
    static void drop() {
        database.close();
    }

    /** Its connections are good, whatever its address says. */
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
    void itIsOpenedBesideThePool() throws SQLException {
        pool.broken = true;

        try (Connection own = beside(pool).getConnection()) {
            assertThat(own.isValid(5)).isTrue();
        }
        assertThat(pool.given).isZero();
    }

    /** Past a pooler whose connections long actions can use up. */
    @Test
    void anAddressOfItsOwnIsUsed() throws SQLException {
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
    void anAddressForAKeeperWithoutAConnectionOfItsOwnFailsAtStartUp() {
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(() -> new KeeperProperties(null, false, "jdbc:postgresql://db/app", null, null))
                .withMessageContaining("saga.keeper.own-connection");
    }

    /** As where the pool sets a role that the user itself does not have. */
    @Test
    void whereItsOwnDoesNotReachOurTablesThePoolsIsTakenAndItsOwnIsClosed() throws SQLException {
        try (TestDatabase elsewhere = TestDatabase.create()) {
            pool.setJdbcUrl(elsewhere.getJdbcUrl());
            String name = JdbcClient.create(elsewhere.dataSource())
                    .sql("SELECT current_database()")
                    .query(String.class)
                    .single();

            assertThatThePoolsIsTaken();
            await().until(() -> JdbcClient.create(database.dataSource())
                            .sql("SELECT count(*) FROM pg_stat_activity WHERE datname = ?")
                            .param(name)
                            .query(Integer.class)
                            .single()
                    == 0);
        }
    }

    @Test
    void whereItsOwnMayOnlyReadThePoolsIsTaken() throws SQLException {
        String url = database.getJdbcUrl();
        pool.setJdbcUrl(url + (url.contains("?") ? "&" : "?") + "options=-c%20default_transaction_read_only=on");

        assertThatThePoolsIsTaken();
    }

    @Test
    void whereItsOwnIsRefusedThePoolsIsTaken() throws SQLException {
        pool.setJdbcUrl("jdbc:postgresql://localhost:1/nowhere");

        assertThatThePoolsIsTaken();
    }

    @Test
    void whereBothAreRefusedBothReasonsAreTold() {
        pool.setJdbcUrl("jdbc:postgresql://localhost:1/nowhere");
        pool.broken = true;

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> beside(pool).getConnection())
                .withMessageContaining("localhost:1")
                .satisfies(refused -> assertThat(refused.getSuppressed())
                        .singleElement()
                        .asString()
                        .contains("The pool has none."));
    }

    @Test
    void whereNobodyKnowsHowAPoolReachesItsDatabaseItIsThePoolItself() {
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

        assertThat(beside(unknown)).isSameAs(unknown);
    }

    private void assertThatThePoolsIsTaken() throws SQLException {
        try (Connection taken = beside(pool).getConnection()) {
            assertThat(taken.isValid(5)).isTrue();
        }
        assertThat(pool.given).isOne();
    }

    private static DataSource beside(DataSource pool) {
        return KeeperConnection.besides(pool, schema, Duration.ofSeconds(5));
    }
}
