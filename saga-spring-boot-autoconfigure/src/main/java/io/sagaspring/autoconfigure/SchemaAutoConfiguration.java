package io.sagaspring.autoconfigure;

import io.sagaspring.schema.SagaSchema;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

/**
 * Auto-configuration for the tables of this library. The tables are created after the application's own migrations and
 * before JPA starts.
 *
 * @see SagaSchemaInitializerDetector
 * @since 0.1.0
 */
@AutoConfiguration(after = DataSourceAutoConfiguration.class)
@Conditional(OnAnyDataSource.class)
@ConditionalOnBooleanProperty(name = "saga.enabled", matchIfMissing = true)
@EnableConfigurationProperties(SchemaProperties.class)
@Import({DatabaseInitializationDependencyConfigurer.class, DataSourceChoice.class})
public class SchemaAutoConfiguration {

    SchemaAutoConfiguration() {}

    @Bean
    static UnresolvedPlaceholders sagaUnresolvedPlaceholders() {
        return new UnresolvedPlaceholders();
    }

    // This bean is never lazy: if tables are missing, the start must fail, not the first request.
    @Bean
    @Lazy(false)
    SagaSchema sagaSchema(DataSourceChoice choice, SchemaProperties properties) {
        DataSource database = choice.require();
        String name = properties.checkedName();
        return properties.migrate() ? SagaSchema.migrate(database, name) : SagaSchema.verify(database, name);
    }
}
