package io.sagaspring.test.database;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a Spring test class a PostgreSQL database of its own, with no properties to set.
 *
 * <pre>{@code
 * @SpringBootTest
 * @FreshDatabase
 * class BillingTests {
 * }
 * }</pre>
 *
 * <p>The server is the one named by {@code saga.test.database.url}, else one that Docker starts, else embedded
 * binaries from the class path. The application context connects to the new database wherever it would have used
 * {@code spring.datasource.*}, and where Flyway or Liquibase would have used a connection of their own, in slices such as
 * {@code @DataJpaTest} too. The {@link TestDatabase} itself can be injected.
 *
 * <p>The database lives as long as the application context. {@code @Nested} classes that share the context of the class
 * around them share the database. Other classes share neither, unless they give the same {@link #sharedAs() name} and
 * have the same configuration; that saves the time a context takes to start.
 *
 * @since 0.1.0
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface FreshDatabase {

    /**
     * What the database holds before the application context starts. Empty by default, so that the application's own
     * migrations run as they do in production.
     *
     * @return the template to clone
     */
    Class<? extends DatabaseTemplate> template() default DatabaseTemplate.Empty.class;

    /**
     * Name under which several test classes share one database and one cached application context.
     *
     * @return the name, or nothing for a database that belongs to this class alone
     */
    String sharedAs() default "";
}
