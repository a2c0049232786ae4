package io.sagaspring.test.database;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseConnectionDetails;

/**
 * Makes Liquibase use the test database. Otherwise a test with {@code spring.liquibase.url} would migrate a different
 * database.
 */
final class LiquibaseOnTheSameDatabase implements LiquibaseConnectionDetails {

    static void register(BeanDefinitionRegistry beans) {
        beans.registerBeanDefinition(
                "freshDatabaseForLiquibase",
                BeanDefinitionBuilder.rootBeanDefinition(
                                LiquibaseConnectionDetails.class, LiquibaseOnTheSameDatabase::new)
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
