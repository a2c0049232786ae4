package io.sagaspring.test.database;

import javax.sql.DataSource;

/**
 * Fills a new database. A template is filled once per JVM of the build. The server clones it for each test
 * class that names it. The time to clone it does not depend on the number of migrations. An implementation needs a
 * constructor without parameters.
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

    /** A database that contains nothing. */
    final class Empty implements DatabaseTemplate {

        /** Creates the template. The annotation names templates by their class. */
        public Empty() {}

        @Override
        public void fill(DataSource dataSource) {}
    }
}
