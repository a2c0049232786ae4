package io.sagaspring.tenant;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.tenant.apart.Desk;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.TransitionOutcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.hibernate.cfg.MultiTenancySettings;
import org.hibernate.engine.jdbc.connections.spi.MultiTenantConnectionProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.hibernate.autoconfigure.HibernatePropertiesCustomizer;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Each tenant has a schema, and Hibernate's provider sets the search path. */
class TenantSchemaTests extends TenantSchemas {

    private static volatile @Nullable TestDatabase elsewhere;
    private static volatile boolean lost;

    @Configuration(proxyBeanMethods = false)
    @EntityScan(basePackageClasses = Desk.class)
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
            TestDatabase other = elsewhere;
            if (tenant.equals("elsewhere") && other != null) {
                return other.dataSource().getConnection();
            }
            if (tenant.equals("-")) {
                throw new SQLException("There is no tenant.");
            }
            Connection connection = pool.getConnection();
            connection.setSchema("tenant_" + (lost ? "b" : tenant));
            return connection;
        }

        @Override
        public void releaseConnection(String tenant, Connection connection) throws SQLException {
            // This provider does not reset the schema, so the library's statements must not depend on the schema of the
            // connection.
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

    @Override
    TenantShop open() {
        return TenantShop.open(database, Map.of(), Apart.class, TenantApplication.settings(Desk.class));
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void nothingIsClaimedIfHibernateWorksForAnotherTenant(Class<?> job) {
        assertNothingIsClaimedForAnotherTenantOfHibernate(job);
    }

    /** The connection of the thread's persistence context would find the tables of another tenant. */
    @Test
    void aTableIsNotLookedUpOnTheConnectionOfAnotherTenant() {
        JdbcClient client = shop.shop().database();
        client.sql("CREATE SCHEMA tenant_c").update();
        client.sql("CREATE TABLE tenant_c.desk (LIKE tenant_a.desk INCLUDING ALL)")
                .update();
        shop.tenants().add("c");
        shop.save("c", Desk.class, 2_000_000);

        shop.withContextOf("a", () -> {
            ClaimAttempt.Granted ofC = (ClaimAttempt.Granted) shop.claim("c", Desk.class, 2_000_000L);
            assertThat(ofC.claim().entity()).isEqualTo("tenant_c.desk");
            assertThat(shop.bean(ClaimService.class).release(ofC.claim())).isEqualTo(ClaimEnd.DONE);
        });
        shop.tenants().remove("c");
    }

    /** The search path is also wrong behind a pooler that gives the session to another client. */
    @Test
    void aClaimDoesNotDependOnTheSearchPath() {
        shop.save("a", Desk.class, 4_000_000);
        shop.save("b", Desk.class, 4_000_000);
        lost = true;
        try {
            ClaimAttempt.Granted granted = (ClaimAttempt.Granted) shop.claim("a", Desk.class, 4_000_000L);

            assertThat(status("a", Desk.class, 4_000_000)).isEqualTo("CLOSING");
            assertThat(status("b", Desk.class, 4_000_000)).isEqualTo("OPEN");
            assertThat(shop.bean(ClaimService.class).release(granted.claim())).isEqualTo(ClaimEnd.DONE);
            assertThat(status("a", Desk.class, 4_000_000)).isEqualTo("OPEN");
        } finally {
            lost = false;
        }
    }

    @Test
    void aTenantInAnotherDatabaseIsServedBesideTenantsWithSchemas() {
        TestDatabase other = TenantDatabases.database();
        elsewhere = other;
        try {
            shop.tenants().add("elsewhere");
            shop.save("elsewhere", Desk.class, 1);

            assertThat(shop.close("elsewhere", Desk.class, 1L)).isInstanceOf(TransitionOutcome.Completed.class);

            await().atMost(20, SECONDS).until(() -> followed.contains("1 in elsewhere"));
            assertThat(shop.claims()).isZero();
        } finally {
            shop.tenants().remove("elsewhere");
            other.close();
        }
    }

    /** Otherwise the ledger would use the name of another tenant's table until the node restarts. */
    @Test
    void theLedgerNamesATableThatIsCreatedLaterWithItsOwnSchema() {
        JdbcClient client = shop.shop().database();
        shop.tenants().add("late");
        assertThatExceptionOfType(DataAccessException.class)
                .isThrownBy(() -> shop.claim("late", Desk.class, 6_000_000L));
        client.sql("CREATE SCHEMA tenant_late").update();
        client.sql("CREATE TABLE tenant_late.desk (LIKE tenant_a.desk INCLUDING ALL)")
                .update();
        shop.save("late", Desk.class, 6_000_000);

        ClaimAttempt.Granted granted = (ClaimAttempt.Granted) shop.claim("late", Desk.class, 6_000_000L);

        assertThat(granted.claim().entity()).isEqualTo("tenant_late.desk");
        assertThat(shop.bean(ClaimService.class).release(granted.claim())).isEqualTo(ClaimEnd.DONE);
        shop.tenants().remove("late");
    }

    @Test
    void theNameInTheLedgerContainsTheSchemaOfTheTenant() {
        shop.save("a", Desk.class, 1_000_000);

        ClaimAttempt attempt = shop.claim("a", Desk.class, 1_000_000L);

        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        assertThat(((ClaimAttempt.Granted) attempt).claim().entity()).isEqualTo("tenant_a.desk");
        assertThat(shop.bean(ClaimService.class).release(((ClaimAttempt.Granted) attempt).claim()))
                .isEqualTo(ClaimEnd.DONE);
    }
}
