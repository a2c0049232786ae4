package io.sagaspring.sample;

import java.io.IOException;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/**
 * Starts an embedded database, so that the sample needs nothing but a JDK. Set {@code SPRING_DATASOURCE_URL} to use
 * another database.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(EmbeddedDatabaseConfiguration.NoOtherDatabase.class)
class EmbeddedDatabaseConfiguration {

    @Bean
    EmbeddedDatabase embeddedDatabase() throws IOException {
        return EmbeddedDatabase.start();
    }

    static final class NoOtherDatabase extends NoneNestedConditions {

        NoOtherDatabase() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnProperty("spring.datasource.url")
        static final class Configured {}

        @ConditionalOnBean(JdbcConnectionDetails.class)
        static final class Contributed {}
    }
}
