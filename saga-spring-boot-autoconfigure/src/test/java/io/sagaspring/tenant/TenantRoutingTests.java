package io.sagaspring.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.autoconfigure.SagaDataSource;
import io.sagaspring.tenant.apart.Desk;
import io.sagaspring.workflow.TransitionOutcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * Each tenant has a schema, and Spring's routing data source connects to it. Hibernate is not configured for tenants.
 */
class TenantRoutingTests extends TenantSchemas {

    @Configuration(proxyBeanMethods = false)
    @EntityScan(basePackageClasses = Desk.class)
    static class Routed {

        @Bean
        @SagaDataSource
        DataSource home(JdbcConnectionDetails database) {
            return source(database, "public");
        }

        @Bean
        @Primary
        DataSource routed(JdbcConnectionDetails database, ThreadTenants tenants) {
            AbstractRoutingDataSource routed = new AbstractRoutingDataSource() {
                @Override
                protected Object determineCurrentLookupKey() {
                    return tenants.current() == null ? "-" : tenants.current();
                }
            };
            routed.setTargetDataSources(Map.of(
                    "-",
                    source(database, "public"),
                    "a",
                    source(database, "tenant_a"),
                    "b",
                    source(database, "tenant_b")));
            return routed;
        }

        private static DataSource source(JdbcConnectionDetails database, String schema) {
            DriverManagerDataSource source = new DriverManagerDataSource(
                    database.getJdbcUrl(),
                    String.valueOf(database.getUsername()),
                    String.valueOf(database.getPassword()));
            source.setSchema(schema);
            return source;
        }
    }

    @Override
    TenantShop open() {
        List<String> settings = new ArrayList<>(Arrays.asList(TenantApplication.settings(Desk.class)));
        settings.add("test.resolver=false");
        return TenantShop.open(database, Map.of(), Routed.class, settings.toArray(String[]::new));
    }

    /** The open session must not keep the connection of the tenant for which it was opened. */
    @Test
    void aStepUnderOpenInViewUsesAConnectionOfItsOwnTenant() {
        shop.save("a", Desk.class, 5_000_000);
        shop.save("b", Desk.class, 5_000_000);

        shop.withContextOf(
                "a",
                () -> assertThat(shop.close("b", Desk.class, 5_000_000))
                        .isInstanceOf(TransitionOutcome.Completed.class));

        assertThat(status("a", Desk.class, 5_000_000)).isEqualTo("OPEN");
        assertThat(status("b", Desk.class, 5_000_000)).isEqualTo("CLOSED");
        shop.awaitNoDueWork();
    }
}
