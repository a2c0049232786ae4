package io.sagaspring.test.database;

import java.util.Map;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.container.ContainerImageMetadata;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.util.ClassUtils;

/**
 * Provides the database as connection details. Spring's test framework caches contexts by the equality of their
 * customizers. The owner is the test class, or the name that several classes share. It is part of this record, so that
 * a context with its database is never reused for another owner.
 */
record FreshDatabaseContextCustomizer(Object owner, Class<? extends DatabaseTemplate> template)
        implements ContextCustomizer {

    /**
     * Properties that close idle connections. Contexts stay open in the cache, and with twenty idle pools the server
     * would run out of connections.
     */
    private static final Map<String, Object> DEFAULTS =
            Map.of("spring.datasource.hikari.minimum-idle", 0, "spring.datasource.hikari.idle-timeout", 10_000);

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        context.getEnvironment().getPropertySources().addLast(new MapPropertySource("freshDatabase", DEFAULTS));
        BeanDefinitionRegistry beans = (BeanDefinitionRegistry) context.getBeanFactory();
        BeanDefinition database = BeanDefinitionBuilder.rootBeanDefinition(
                        TestDatabase.class, () -> TestDatabase.create(template))
                .setDestroyMethodName("close")
                .setPrimary(true)
                .getBeanDefinition();
        // This mark tells Spring Boot's slices that this is a test database, so that they do not replace it.
        new ContainerImageMetadata("postgres").addTo(database);
        beans.registerBeanDefinition("freshDatabase", database);
        if (isPresent("org.springframework.boot.flyway.autoconfigure.FlywayConnectionDetails")) {
            FlywayOnTheSameDatabase.register(beans);
        }
        if (isPresent("org.springframework.boot.liquibase.autoconfigure.LiquibaseConnectionDetails")) {
            LiquibaseOnTheSameDatabase.register(beans);
        }
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, FreshDatabaseContextCustomizer.class.getClassLoader());
    }
}
