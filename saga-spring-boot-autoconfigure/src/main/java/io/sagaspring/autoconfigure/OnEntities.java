package io.sagaspring.autoconfigure;

import io.sagaspring.entity.ClaimTable;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;

/**
 * Matches if the application has entities that can be claimed: JPA entities, or tables that the application describes.
 */
final class OnEntities extends AnyNestedCondition {

    OnEntities() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnClass(name = {"org.hibernate.SessionFactory", "org.springframework.orm.jpa.JpaTransactionManager"})
    @ConditionalOnBean(type = "jakarta.persistence.EntityManagerFactory")
    static final class OfJpa {}

    @ConditionalOnBean(ClaimTable.class)
    static final class OfTables {}
}
