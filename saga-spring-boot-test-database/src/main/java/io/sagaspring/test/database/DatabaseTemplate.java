package io.sagaspring.test.database;

import javax.sql.DataSource;

/**
 * The contents of a new database. A template is filled once per JVM of the build, and the server clones it for each
 * test class that names it. Cloning takes the same time however many migrations fill the template. Needs a constructor
 * without parameters.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface DatabaseTemplate {

    /**
     * Fills the database that will be cloned.
     *
     * @param dataSource an unpooled data source of the empty database
     * @throws Exception if the database cannot be filled; every test class that names this template fails
     */
    void fill(DataSource dataSource) throws Exception;

    /** A database without any object. */
    final class Empty implements DatabaseTemplate {

        /** Creates the template. The annotation names templates by class. */
        public Empty() {}

        @Override
        public void fill(DataSource dataSource) {}
    }
}
