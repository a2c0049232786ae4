package io.sagaspring.database;

import io.sagaspring.tenant.Tenants;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** The connections of one tenant, for threads that work for no tenant. */
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
                    "The connection of tenant '%s' could not be opened.".formatted(tenant.get()), failed);
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("A tenant's connection has the user that the application chooses.");
    }
}
