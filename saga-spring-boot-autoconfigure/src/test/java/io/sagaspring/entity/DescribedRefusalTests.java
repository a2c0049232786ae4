package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sagaspring.claim.ClaimState;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.tenant.TenantContext;
import io.sagaspring.tenant.ThreadTenants;
import io.sagaspring.test.database.TestDatabase;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application does not start if a description contradicts its other beans. */
class DescribedRefusalTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private record Crate() {}

    @AfterAll
    static void close() {
        database.close();
    }

    @Configuration(proxyBeanMethods = false)
    static class DescribesAJpaEntity {

        @Bean
        ClaimTable<Parcel> parcels() {
            return ClaimTable.of(Parcel.class, "parcel").id(Long.class, "id").loadedBy(id -> Optional.empty());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class DescribesATableBesideTenants {

        @Bean
        ClaimTable<Crate> crates() {
            return ClaimTable.of(Crate.class, "crates").id(Long.class, "id").loadedBy(id -> Optional.empty());
        }

        @Bean
        ClaimState filling() {
            return new ClaimState("crates", "shop", Crate.class, "status", "FILLING", "EMPTY");
        }

        @Bean
        TenantContext tenants() {
            return new ThreadTenants("a");
        }
    }

    private static String refusal(Class<?> configuration) {
        Throwable refused = catchThrowable(() -> Shop.open(database, application -> application.sources(configuration))
                .close());
        assertThat(refused).isNotNull();
        return String.valueOf(assertThat(refused).rootCause().actual().getMessage());
    }

    @Test
    void aTableThatJpaMapsCannotBeDescribed() {
        assertThat(refusal(DescribesAJpaEntity.class))
                .contains(
                        "io.sagaspring.shop.Parcel is a JPA entity, but there is also a bean of type ClaimTable for this class. Remove the bean.");
    }

    @Test
    void noTableCanBeDescribedInAnApplicationWithTenants() {
        assertThat(refusal(DescribesATableBesideTenants.class))
                .contains("cannot name a tenant column, but the application has a TenantContext")
                .doesNotContain("lacks");
    }
}
