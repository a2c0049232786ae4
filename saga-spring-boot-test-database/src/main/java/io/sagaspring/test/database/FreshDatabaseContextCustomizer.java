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
 * Contributes the database as connection details. Spring's test framework caches contexts by the equality of their
 * customizers, so the owner's identity is what keeps two classes off one database.
 */
record FreshDatabaseContextCustomizer(Object owner, Class<? extends DatabaseTemplate> template)
        implements ContextCustomizer {

    /** Contexts stay open in the cache, and twenty idle pools would use up a server's connections. */
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
        // The mark by which Boot's slices know a connection to a test database, and leave it in place.
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
