package io.sagaspring.entity;

import io.sagaspring.jdbc.SqlCall;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * The column of a {@code @TenantId}. JPA loads only rows of its session's tenant, and the statements of the library
 * find only rows of the current tenant.
 *
 * @param name the name of the column, in the table that holds the version
 * @param value the function that sets a parameter to a tenant, in the same way as Hibernate
 * @param isInId true if the column is part of the id
 */
record TenantColumn(String name, Binding value, boolean isInId) {

    private static final String PARAMETER = "rowTenant";

    /** Sets a parameter to a tenant. */
    @FunctionalInterface
    interface Binding {
        void set(PreparedStatement statement, int index, Object tenant) throws SQLException;
    }

    /** Returns the predicate for rows of the current tenant. */
    String is(String alias) {
        return "%s = :%s".formatted(of(alias), PARAMETER);
    }

    /** Returns the predicate for rows of the current tenant, with the parameter marker of JDBC. */
    String isParameter(String alias) {
        return "%s = ?".formatted(of(alias));
    }

    /** Returns the expression for the tenant's name. */
    String text(String alias) {
        return of(alias) + "::text COLLATE \"default\"";
    }

    private String of(String alias) {
        return alias.isEmpty() ? name : alias + "." + name;
    }

    void bind(SqlCall call, Object tenant) {
        SqlCall unused = call.with(PARAMETER, (statement, index) -> bind(statement, index, tenant));
    }

    void bind(PreparedStatement statement, int index, Object tenant) throws SQLException {
        value.set(statement, index, tenant);
    }
}
