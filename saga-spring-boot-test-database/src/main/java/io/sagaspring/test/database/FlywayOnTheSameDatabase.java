package io.sagaspring.test.database;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.flyway.autoconfigure.FlywayConnectionDetails;

/**
 * Makes Flyway use the test database. Otherwise a test with {@code spring.flyway.url} would migrate a different
 * database.
 */
final class FlywayOnTheSameDatabase implements FlywayConnectionDetails {

    static void register(BeanDefinitionRegistry beans) {
        beans.registerBeanDefinition(
                "freshDatabaseForFlyway",
                BeanDefinitionBuilder.rootBeanDefinition(FlywayConnectionDetails.class, FlywayOnTheSameDatabase::new)
                        .setPrimary(true)
                        .getBeanDefinition());
    }

    @Override
    public @Nullable String getUsername() {
        return null;
    }

    @Override
    public @Nullable String getPassword() {
        return null;
    }

    @Override
    public @Nullable String getJdbcUrl() {
        return null;
    }
}
