package io.sagaspring.test.database;

import javax.sql.DataSource;

/**
 * Fills a database that is the template for the databases of test classes. Each JVM of the build fills it once, and the
 * server clones it for each test class that names this template. The time to clone it does not depend on the number of
 * migrations. An implementation needs a constructor without parameters.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface DatabaseTemplate {

    /**
     * Fills the database that will be cloned.
     *
     * @param dataSource an unpooled data source of the empty database
     * @throws Exception if the database cannot be filled; then every test class that names this template fails
     */
    void fill(DataSource dataSource) throws Exception;

    /** Leaves the database empty. */
    final class Empty implements DatabaseTemplate {

        /**
         * Creates the template. Tests do not call this constructor, because {@link FreshDatabase} names a template by
         * its class.
         */
        public Empty() {}

        @Override
        public void fill(DataSource dataSource) {}
    }
}
