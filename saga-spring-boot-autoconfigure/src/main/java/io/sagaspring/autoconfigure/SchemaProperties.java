package io.sagaspring.autoconfigure;

import io.sagaspring.schema.SagaSchema;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Settings for the tables of this library.
 *
 * @param migrate Whether missing tables are created. If false and tables are missing, start-up fails.
 * @param name Schema that holds the tables. If not set, the schema of the pool's connections.
 */
@ConfigurationProperties("saga.schema")
record SchemaProperties(
        @DefaultValue("true") boolean migrate, @Nullable String name) {

    /** Checks and returns the name. If it were checked during binding, the fault would be reported without its line. */
    @Nullable
    String checkedName() {
        if (name != null) {
            try {
                SagaSchema.requireName(name);
            } catch (IllegalArgumentException refused) {
                throw new InvalidConfigurationPropertyValueException("saga.schema.name", name, refused.getMessage());
            }
        }
        return name;
    }
}
