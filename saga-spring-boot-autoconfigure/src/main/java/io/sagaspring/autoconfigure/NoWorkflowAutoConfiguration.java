package io.sagaspring.autoconfigure;

import io.sagaspring.autoconfigure.source.WorkflowSources;
import io.sagaspring.definition.Setting;
import io.sagaspring.schema.SagaSchema;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.diagnostics.FailureAnalyzedException;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.ClassUtils;

/** Auto-configuration for applications in which no workflow can run. Fails if workflows are configured nevertheless. */
@AutoConfiguration(after = WorkflowAutoConfiguration.class)
@ConditionalOnBean(SagaSchema.class)
@ConditionalOnMissingBean(ClaimsWork.class)
@ConditionalOnBooleanProperty(name = "saga.claims.enabled", matchIfMissing = true)
@Lazy(false)
class NoWorkflowAutoConfiguration {

    private static final List<String> NEEDED = List.of(
            "org.hibernate.SessionFactory",
            "org.springframework.orm.jpa.JpaTransactionManager",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration");

    /** Marks an application that configures no workflow. */
    record NoWorkflows() {}

    @Bean
    NoWorkflows sagaNoWorkflows(ConfigurableEnvironment environment, ApplicationContext context) {
        WorkflowSources.Gathered written = WorkflowSources.gather(environment, context);
        boolean nothing = written.faults().isEmpty()
                && written.workflows() instanceof Setting.Fields fields
                && fields.entries().isEmpty();
        if (!nothing) {
            throw isJpaHere(Objects.requireNonNull(context.getClassLoader())) ? withoutEntities() : withoutJpa();
        }
        return new NoWorkflows();
    }

    private static boolean isJpaHere(ClassLoader classes) {
        return NEEDED.stream().allMatch(name -> ClassUtils.isPresent(name, classes));
    }

    private static FailureAnalyzedException withoutJpa() {
        return new FailureAnalyzedException(
                "Workflows are configured in saga.workflows or in workflow files, but there is neither a bean of type ClaimTable nor JPA with Hibernate on the class path, so no step can run.",
                "Declare a bean of type ClaimTable for each entity, or add the dependency io.sagaspring:saga-spring-boot-starter, which includes JPA. If you do not want workflows here, remove them or set saga.claims.enabled=false.");
    }

    private static FailureAnalyzedException withoutEntities() {
        return new FailureAnalyzedException(
                "Workflows are configured in saga.workflows or in workflow files, but there is no bean of type EntityManagerFactory or ClaimTable, so no step can run.",
                "Make sure that Spring Boot's JPA auto-configuration is not excluded, or declare a bean of type ClaimTable for each entity. If you do not want workflows here, remove them or set saga.claims.enabled=false.");
    }
}
