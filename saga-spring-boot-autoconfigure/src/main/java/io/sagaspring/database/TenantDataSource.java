package io.sagaspring.database;

import io.sagaspring.tenant.Tenants;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** Connections to a tenant's database. Opens each of them in the tenant's context, so that any thread can use them. */
final class TenantDataSource extends AbstractDataSource {

    private final DataSource ofCurrentTenant;
    private final Tenants tenants;
    private final Supplier<String> tenant;

    TenantDataSource(DataSource ofCurrentTenant, Tenants tenants, Supplier<String> tenant) {
        this.ofCurrentTenant = ofCurrentTenant;
        this.tenants = tenants;
        this.tenant = tenant;
    }

    @Override
    public Connection getConnection() throws SQLException {
        try {
            return tenants.call(tenant.get(), ofCurrentTenant::getConnection);
        } catch (SQLException | RuntimeException failed) {
            throw failed;
        } catch (Exception failed) {
            throw new SQLException(
                    "A connection to the database of tenant '%s' could not be opened.".formatted(tenant.get()), failed);
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException(
                "getConnection(user, password) is not supported, because the application chooses the user of a tenant's connection. Call getConnection().");
    }
}
