package io.sagaspring.shop;

import io.sagaspring.test.database.TestDatabase;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** Starts applications without a web server and without JPA. */
public final class Applications {

    private Applications() {}

    public static ConfigurableApplicationContext start(
            Class<?> application, TestDatabase database, String... properties) {
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.autoconfigure.exclude=org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration",
                        "spring.flyway.enabled=false",
                        "spring.liquibase.enabled=false",
                        "spring.main.banner-mode=off")
                .properties(properties)
                .initializers(empty -> ((GenericApplicationContext) empty)
                        .registerBean("database", JdbcConnectionDetails.class, () -> database))
                .run();
    }
}
