package io.sagaspring.test.database;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a Spring test class its own PostgreSQL database, without any properties.
 *
 * <pre>{@code
 * @SpringBootTest
 * @FreshDatabase
 * class BillingTests {
 * }
 * }</pre>
 *
 * <p>The server is the one configured by {@code saga.test.database.url}, else one that Docker starts, else embedded
 * binaries from the class path. The application context uses the new database instead of {@code spring.datasource.*},
 * and instead of separate connections of Flyway or Liquibase. This also works in slices such as {@code @DataJpaTest}.
 * The {@link TestDatabase} itself can be injected.
 *
 * <p>The database lives as long as the application context. {@code @Nested} classes that share the context of their
 * enclosing class share the database. Other classes share both only if they give the same {@link #sharedAs() name} and
 * have the same configuration. Sharing saves the start of a context.
 *
 * @since 0.1.0
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface FreshDatabase {

    /**
     * Returns the template of the database, as it is before the application context starts. Empty by default, so that
     * the application's own migrations run as in production.
     *
     * @return the template to clone
     */
    Class<? extends DatabaseTemplate> template() default DatabaseTemplate.Empty.class;

    /**
     * Returns the name under which several test classes share one database and one cached application context.
     *
     * @return the name, or an empty text for a database of this class alone
     */
    String sharedAs() default "";
}
