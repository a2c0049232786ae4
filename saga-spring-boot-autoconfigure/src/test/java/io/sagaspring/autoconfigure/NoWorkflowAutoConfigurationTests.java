package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.test.database.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalyzedException;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application does not start if its workflows cannot run, because it would run without their protection. */
class NoWorkflowAutoConfigurationTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withPropertyValues(
                    "spring.datasource.url=" + database.getJdbcUrl(),
                    "spring.datasource.username=" + database.getUsername(),
                    "spring.datasource.password=" + database.getPassword(),
                    "saga.keeper.own-connection=false")
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    SchemaAutoConfiguration.class,
                    FoundationAutoConfiguration.class,
                    WorkflowAutoConfiguration.class,
                    NoWorkflowAutoConfiguration.class));

    @Test
    void workflowsWithoutJpaFailAtStartUpAndNameTheDependency() {
        application
                .withClassLoader(new FilteredClassLoader("org.hibernate", "org.springframework.orm.jpa"))
                .withPropertyValues("saga.workflows.billing.module=billing")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOfSatisfying(FailureAnalyzedException.class, refused -> {
                            assertThat(refused.analysis().getDescription())
                                    .contains(
                                            "there is neither a bean of type ClaimTable nor JPA with Hibernate on the class path");
                            assertThat(refused.analysis().getAction())
                                    .contains("add the dependency io.sagaspring:saga-spring-boot-starter,");
                        }));
    }

    @Test
    void workflowsWithoutAnEntityManagerFactoryFailAtStartUp() {
        application
                .withPropertyValues("saga.workflows.billing.module=billing")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("there is no bean of type EntityManagerFactory or ClaimTable"));
    }

    @Test
    void anApplicationWithoutWorkflowsStarts() {
        application.run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void anApplicationWithWorkflowsStartsIfClaimsAreSwitchedOff() {
        application
                .withPropertyValues("saga.workflows.billing.module=billing", "saga.claims.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }
}
