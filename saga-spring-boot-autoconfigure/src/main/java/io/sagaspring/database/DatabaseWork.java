package io.sagaspring.database;

/**
 * Work that the library repeats in each tenant's database, such as sweeps and purges.
 *
 * @since 0.1.0
 */
public interface DatabaseWork {

    /**
     * Begins to work on a tenant's database. Returns quickly.
     *
     * @param database the database, in which the library's tables already exist
     */
    default void begin(Database database) {}

    /**
     * Works on a tenant's database. Called repeatedly on the database's own thread.
     *
     * @param database the database
     */
    default void turn(Database database) {}

    /**
     * Ends the work on a tenant's database, because its tenants are gone or the node closes. Returns quickly.
     *
     * @param database the database
     */
    default void end(Database database) {}
}
