package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.schema.SagaSchema;
import java.util.Set;
import liquibase.integration.spring.SpringLiquibase;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

class SagaSchemaInitializerDetectorTests {

    /** In our other tests, Spring Boot itself orders these beans, because its modules for them are present. */
    @Test
    void theSchemaDependsOnMigrationsThatSpringBootDoesNotKnow() {
        var beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("sagaSchema", new RootBeanDefinition(SagaSchema.class));
        beans.registerBeanDefinition("ownFlyway", new RootBeanDefinition(Flyway.class));
        beans.registerBeanDefinition("ownLiquibase", new RootBeanDefinition(SpringLiquibase.class));
        beans.registerSingleton("readyMade", new SpringLiquibase());
        var detector = new SagaSchemaInitializerDetector();

        assertThat(detector.detect(beans)).containsExactly("sagaSchema");
        detector.detectionComplete(beans, Set.of("sagaSchema"));

        assertThat(beans.getBeanDefinition("sagaSchema").getDependsOn())
                .containsExactlyInAnyOrder("ownFlyway", "ownLiquibase");
    }
}
