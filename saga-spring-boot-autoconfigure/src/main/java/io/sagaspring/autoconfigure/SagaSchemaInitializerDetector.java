package io.sagaspring.autoconfigure;

import io.sagaspring.schema.SagaSchema;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDatabaseInitializerDetector;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Orders the creation of the library's tables after the application's own migrations, and before everything that uses
 * the database.
 *
 * <p>The application's Flyway refuses a schema that is not empty and has no history. If the library's tables were
 * created first, the first start of every application with Flyway migrations would fail. JPA starts after the library's
 * tables have been created, because transactions on JPA's entities write to these tables.
 */
final class SagaSchemaInitializerDetector extends AbstractBeansOfTypeDatabaseInitializerDetector {

    /**
     * The types that Spring Boot treats as initializers only if its own modules for them are present. This class makes
     * the creation of the library's tables wait for the beans of these types in any case.
     */
    private static final Set<String> MIGRATIONS =
            Set.of("org.flywaydb.core.Flyway", "liquibase.integration.spring.SpringLiquibase");

    @Override
    protected Set<Class<?>> getDatabaseInitializerBeanTypes() {
        return Set.of(SagaSchema.class);
    }

    @Override
    public void detectionComplete(ConfigurableListableBeanFactory beans, Set<String> initializers) {
        String[] migrations = MIGRATIONS.stream()
                .filter(type -> ClassUtils.isPresent(type, beans.getBeanClassLoader()))
                .map(type -> ClassUtils.resolveClassName(type, beans.getBeanClassLoader()))
                .flatMap(type -> Stream.of(beans.getBeanNamesForType(type, false, false)))
                // A singleton that was registered as an object has no bean definition. The singleton exists
                // already, so no bean has to wait for it.
                .filter(beans::containsBeanDefinition)
                .filter(name -> !beans.getBeanDefinition(name).isLazyInit())
                .toArray(String[]::new);
        for (String ours : detect(beans)) {
            BeanDefinition definition = beans.getBeanDefinition(ours);
            definition.setDependsOn(StringUtils.concatenateStringArrays(definition.getDependsOn(), migrations));
        }
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }
}
