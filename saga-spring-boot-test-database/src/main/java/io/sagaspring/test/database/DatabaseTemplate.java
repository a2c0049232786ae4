package io.sagaspring.test.database;

import javax.sql.DataSource;

/**
 * The contents of a new database, made once per build JVM and cloned by the server for each test class that asks.
 * Cloning costs the same however many migrations it took to fill the template. Needs a constructor without parameters.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface DatabaseTemplate {

    /**
     * Fills the database that will be cloned.
     *
     * @param dataSource an unpooled data source of the empty database
     * @throws Exception to fail every test class that asks for this template
     */
    void fill(DataSource dataSource) throws Exception;

    /** A database without any object. */
    final class Empty implements DatabaseTemplate {

        /** For the annotation, which names templates by class. */
        public Empty() {}

        @Override
        public void fill(DataSource dataSource) {}
    }
}
