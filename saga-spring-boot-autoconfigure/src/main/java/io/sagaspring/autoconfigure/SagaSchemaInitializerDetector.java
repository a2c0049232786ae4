package io.sagaspring.autoconfigure;

import io.sagaspring.schema.SagaSchema;
import java.util.Set;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDatabaseInitializerDetector;
import org.springframework.core.Ordered;

/**
 * Puts our tables after everything that the application does to its database, and before everything that uses it.
 *
 * <p>The application's Flyway refuses a schema that is not empty and has no history: had ours run first, the first start
 * of every such application would fail. And JPA must find the tables that its entities' transactions will write.
 */
final class SagaSchemaInitializerDetector extends AbstractBeansOfTypeDatabaseInitializerDetector {

    @Override
    protected Set<Class<?>> getDatabaseInitializerBeanTypes() {
        return Set.of(SagaSchema.class);
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }
}
