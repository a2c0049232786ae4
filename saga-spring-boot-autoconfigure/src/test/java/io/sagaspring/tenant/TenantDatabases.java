package io.sagaspring.tenant;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.autoconfigure.SagaDataSource;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.tenant.apart.Desk;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.hibernate.cfg.MultiTenancySettings;
import org.hibernate.engine.jdbc.connections.spi.AbstractDataSourceBasedMultiTenantConnectionProviderImpl;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.hibernate.autoconfigure.HibernatePropertiesCustomizer;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** Base class of tests in which each tenant has a database, beside the home database of the application. */
abstract class TenantDatabases extends TenantContract {

    final TestDatabase home = TestDatabase.create(MigratedSchema.class);
    final TestDatabase ofA = database();
    final TestDatabase ofB = database();

    /** Creates a database with the table of the jobs, and without the tables of the library. */
    static TestDatabase database() {
        TestDatabase database = TestDatabase.create();
        JdbcClient.create(database.dataSource()).sql("""
                        CREATE TABLE desk (number bigint PRIMARY KEY, status text NOT NULL, version bigint NOT NULL,
                            note text NOT NULL)""").update();
        return database;
    }

    /** Hibernate's provider connects to the database of the current tenant. */
    @Configuration(proxyBeanMethods = false)
    @EntityScan(basePackageClasses = Desk.class)
    static class Provided {

        @Bean
        TenantSources tenantSources(JdbcConnectionDetails home, Interference interference, Environment environment) {
            return new TenantSources(home, interference, environment);
        }

        @Bean
        static HibernatePropertiesCustomizer connectsTenants(DataSource home, TenantSources sources) {
            return settings ->
                    settings.put(MultiTenancySettings.MULTI_TENANT_CONNECTION_PROVIDER, new Provider(home, sources));
        }
    }

    /** Uses Hibernate's own base class for a data source per tenant. */
    static final class Provider extends AbstractDataSourceBasedMultiTenantConnectionProviderImpl<String> {

        private static final long serialVersionUID = 1L;

        private final transient DataSource home;
        private final transient TenantSources sources;

        Provider(DataSource home, TenantSources sources) {
            this.home = home;
            this.sources = sources;
        }

        @Override
        protected DataSource selectAnyDataSource() {
            return home;
        }

        @Override
        protected DataSource selectDataSource(String tenant) {
            return tenant.equals("-") ? home : sources.of(tenant);
        }
    }

    /** Spring's data source routes to the database of the current tenant. Hibernate knows no tenants. */
    @Configuration(proxyBeanMethods = false)
    @EntityScan(basePackageClasses = Desk.class)
    static class Routed {

        @Bean
        TenantSources tenantSources(JdbcConnectionDetails home, Interference interference, Environment environment) {
            return new TenantSources(home, interference, environment);
        }

        @Bean
        @SagaDataSource
        DataSource home(TenantSources sources) {
            return sources.home();
        }

        @Bean
        @Primary
        DataSource routed(TenantSources sources, ThreadTenants tenants) {
            return routing(sources, tenants);
        }

        static DataSource routing(TenantSources sources, ThreadTenants tenants) {
            AbstractRoutingDataSource routed = new AbstractRoutingDataSource() {
                @Override
                protected DataSource determineTargetDataSource() {
                    String tenant = tenants.current();
                    return tenant == null ? sources.home() : sources.of(tenant);
                }

                @Override
                protected Object determineCurrentLookupKey() {
                    return "-";
                }
            };
            routed.setTargetDataSources(Map.of());
            return routed;
        }
    }

    /** The only data source of the application routes by tenant. */
    @Configuration(proxyBeanMethods = false)
    @EntityScan(basePackageClasses = Desk.class)
    static class RoutedOnly {

        @Bean
        TenantSources tenantSources(JdbcConnectionDetails home, Interference interference, Environment environment) {
            return new TenantSources(home, interference, environment);
        }

        @Bean
        DataSource routed(TenantSources sources, ThreadTenants tenants) {
            return Routed.routing(sources, tenants);
        }
    }

    TenantShop open(Class<?> configuration, String... more) {
        return TenantShop.open(home, Map.of("a", ofA, "b", ofB), configuration, settings(more));
    }

    String[] settings(String... more) {
        List<String> settings = new ArrayList<>(Arrays.asList(TenantApplication.settings(Desk.class)));
        settings.add("test.databases.a=" + ofA.getJdbcUrl());
        settings.add("test.databases.b=" + ofB.getJdbcUrl());
        settings.addAll(List.of(more));
        return settings.toArray(String[]::new);
    }

    @Override
    void closeDatabases() {
        ofA.close();
        ofB.close();
        home.close();
    }

    @Override
    Stream<Class<?>> jobs() {
        return Stream.of(Desk.class);
    }

    @Override
    String status(String tenant, Class<?> job, long number) {
        return shop.database(tenant)
                .sql("SELECT status FROM desk WHERE number = ?")
                .param(number)
                .query(String.class)
                .single();
    }

    @Override
    void writeStatus(String tenant, Class<?> job, long number, String status) {
        shop.database(tenant)
                .sql("UPDATE desk SET status = ? WHERE number = ?")
                .params(status, number)
                .update();
    }

    @Override
    String lockAll(String tenant, Class<?> job) {
        return "SELECT 1 FROM desk FOR UPDATE";
    }

    @Override
    @ParameterizedTest
    @MethodSource("jobs")
    @ExpectsErrors("could not sweep")
    void anUnavailableTenantBlocksNoOtherTenantAndLosesNoClaim(Class<?> job) {
        long both = saved(job, "a", "b");
        granted("a", job, both);
        granted("b", job, both);
        shop.silence(Duration.ofMinutes(6));

        shop.tenants().remove("a");
        try {
            assertThat(shop.shop().sweep()).isEqualTo(1);
            assertThat(shop.claims()).isOne();
            assertThat(status("a", job, both)).isEqualTo("CLOSING");
            assertThat(status("b", job, both)).isEqualTo("OPEN");
        } finally {
            shop.tenants().add("a");
        }
        // The node may have forgotten the database of a tenant that was not listed. Then it finds the database again.
        AtomicInteger reverted = new AtomicInteger();
        await().atMost(30, SECONDS).until(() -> {
            reverted.addAndGet(shop.shop().sweep());
            return status("a", job, both).equals("OPEN");
        });
        assertThat(reverted).hasValue(1);
    }
}
