package io.sagaspring.test.database;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a Spring test class its own PostgreSQL database, without any configuration.
 *
 * <pre>{@code
 * @SpringBootTest
 * @FreshDatabase
 * class BillingTests {
 * }
 * }</pre>
 *
 * <p>If {@code saga.test.database.url} is set, the server at that URL is used. Otherwise, the server is started in
 * Docker or, without Docker, from embedded binaries on the class path. The application context uses the new database
 * instead of {@code spring.datasource.*}, and instead of any separate connections for Flyway or Liquibase. This also
 * works in slices such as {@code @DataJpaTest}. You can inject the {@link TestDatabase} itself.
 *
 * <p>The database lives as long as the application context. {@code @Nested} classes that share the context of their
 * enclosing class share the database. Other classes share a context and its database only if they have the same {@link
 * #sharedAs() name} and the same configuration. Sharing avoids starting another context.
 *
 * @since 0.1.0
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface FreshDatabase {

    /**
     * Returns the template, which provides the content of the database before the application context starts. By
     * default, the database is empty, so that the application's own migrations run as in production.
     *
     * @return the template to clone
     */
    Class<? extends DatabaseTemplate> template() default DatabaseTemplate.Empty.class;

    /**
     * Returns the name under which several test classes share one database and one cached application context.
     *
     * @return the name, or an empty string for a database that only this class uses
     */
    String sharedAs() default "";
}
