package io.sagaspring.test.database;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.container.ContainerImageMetadata;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Contributes the database as connection details. Spring's test framework caches contexts by the equality of their
 * customizers, so the owner's identity is what keeps two classes off one database.
 */
record FreshDatabaseContextCustomizer(Object owner, Class<? extends DatabaseTemplate> template)
        implements ContextCustomizer {

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        BeanDefinition database = BeanDefinitionBuilder.rootBeanDefinition(
                        TestDatabase.class, () -> TestDatabase.create(template))
                .setDestroyMethodName("close")
                .getBeanDefinition();
        // The mark by which Boot's slices know a connection to a test database, and leave it in place.
        new ContainerImageMetadata("postgres").addTo(database);
        ((BeanDefinitionRegistry) context.getBeanFactory()).registerBeanDefinition("freshDatabase", database);
    }
}
