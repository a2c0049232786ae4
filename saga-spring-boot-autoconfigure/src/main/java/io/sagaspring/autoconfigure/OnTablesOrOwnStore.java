package io.sagaspring.autoconfigure;

import io.sagaspring.run.RunStore;
import io.sagaspring.schema.SagaSchema;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;

/** Matches where the library has tables, or runs are kept in a store of the application's own that needs none. */
final class OnTablesOrOwnStore extends AnyNestedCondition {

    OnTablesOrOwnStore() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnBean(SagaSchema.class)
    static final class Tables {}

    @ConditionalOnBean(RunStore.class)
    static final class OwnStore {}
}
