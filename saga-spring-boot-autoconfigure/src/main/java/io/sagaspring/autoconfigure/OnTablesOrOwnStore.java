package io.sagaspring.autoconfigure;

import io.sagaspring.run.RunStore;
import io.sagaspring.schema.SagaSchema;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;

/**
 * Matches if the library has its tables, or if the application has its own store for runs, which does not need the
 * tables.
 */
final class OnTablesOrOwnStore extends AnyNestedCondition {

    OnTablesOrOwnStore() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnBean(SagaSchema.class)
    static final class Tables {}

    @ConditionalOnBean(RunStore.class)
    static final class OwnStore {}
}
