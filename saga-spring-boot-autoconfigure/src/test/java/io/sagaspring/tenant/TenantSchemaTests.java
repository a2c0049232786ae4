package io.sagaspring.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.tenant.apart.Desk;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.hibernate.cfg.MultiTenancySettings;
import org.hibernate.engine.jdbc.connections.spi.MultiTenantConnectionProvider;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.hibernate.autoconfigure.HibernatePropertiesCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Each tenant has a schema, and Hibernate's provider sets the search path. */
class TenantSchemaTests extends TenantContract {

    private TestDatabase database;

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Desk.class)
    static class Apart {

        @Bean
        static HibernatePropertiesCustomizer connectsTenants(DataSource pool) {
            return settings -> settings.put(MultiTenancySettings.MULTI_TENANT_CONNECTION_PROVIDER, new Schemas(pool));
        }
    }

    /** Sets the schema of a tenant on connections of one pool. */
    static final class Schemas implements MultiTenantConnectionProvider<String> {

        private static final long serialVersionUID = 1L;

        private final transient DataSource pool;

        Schemas(DataSource pool) {
            this.pool = pool;
        }

        @Override
        public Connection getAnyConnection() throws SQLException {
            return pool.getConnection();
        }

        @Override
        public void releaseAnyConnection(Connection connection) throws SQLException {
            connection.close();
        }

        @Override
        public Connection getConnection(String tenant) throws SQLException {
            Connection connection = pool.getConnection();
            connection.setSchema(tenant.equals("-") ? "public" : "tenant_" + tenant);
            return connection;
        }

        @Override
        public void releaseConnection(String tenant, Connection connection) throws SQLException {
            // The schema stays set, as that of a careless provider: library statements must not depend on it.
            connection.close();
        }

        @Override
        public boolean supportsAggressiveRelease() {
            return false;
        }

        @Override
        public boolean isUnwrappableAs(Class<?> type) {
            return false;
        }

        @Override
        public <T> T unwrap(Class<T> type) {
            throw new UnsupportedOperationException("Nothing is wrapped.");
        }
    }

    /** Creates a database with the tables of the jobs. */
    static TestDatabase database() {
        TestDatabase database = TestDatabase.create(MigratedSchema.class);
        JdbcClient client = JdbcClient.create(database.dataSource());
        for (String tenant : new String[] {"a", "b"}) {
            client.sql("CREATE SCHEMA tenant_" + tenant).update();
            client.sql("""
                            CREATE TABLE tenant_%s.desk (number bigint PRIMARY KEY, status text NOT NULL,
                                version bigint NOT NULL, note text NOT NULL)""".formatted(tenant)).update();
        }
        return database;
    }

    @Override
    TenantShop open() {
        database = database();
        return TenantShop.open(database, Map.of(), Apart.class, TenantApplication.settings(Desk.class));
    }

    @Override
    void closeDatabases() {
        database.close();
    }

    @Override
    Stream<Class<?>> jobs() {
        return Stream.of(Desk.class);
    }

    @Override
    String status(String tenant, Class<?> job, long number) {
        return shop.database(tenant)
                .sql("SELECT status FROM tenant_%s.desk WHERE number = ?".formatted(tenant))
                .param(number)
                .query(String.class)
                .single();
    }

    @Override
    void writeStatus(String tenant, Class<?> job, long number, String status) {
        shop.database(tenant)
                .sql("UPDATE tenant_%s.desk SET status = ? WHERE number = ?".formatted(tenant))
                .params(status, number)
                .update();
    }

    @Override
    String lockAll(String tenant, Class<?> job) {
        return "SELECT 1 FROM tenant_%s.desk FOR UPDATE".formatted(tenant);
    }

    @Test
    void theNameInTheLedgerHasTheSchemaOfTheTenant() {
        shop.save("a", Desk.class, 1_000_000);

        ClaimAttempt attempt = shop.claim("a", Desk.class, 1_000_000L);

        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        assertThat(((ClaimAttempt.Granted) attempt).claim().entity()).isEqualTo("tenant_a.desk");
        assertThat(shop.bean(ClaimService.class).release(((ClaimAttempt.Granted) attempt).claim()))
                .isEqualTo(ClaimEnd.DONE);
    }
}
