package com.example.docs.tenants;

import java.util.function.Function;
import javax.sql.DataSource;
import org.hibernate.engine.jdbc.connections.spi.AbstractDataSourceBasedMultiTenantConnectionProviderImpl;

class TenantPools extends AbstractDataSourceBasedMultiTenantConnectionProviderImpl<String> {

    private static final long serialVersionUID = 1L;

    private final transient DataSource home;
    private final transient Function<String, DataSource> pools;

    TenantPools(DataSource home, Function<String, DataSource> pools) {
        this.home = home;
        this.pools = pools;
    }

    @Override
    protected DataSource selectAnyDataSource() {
        return home;
    }

    @Override
    protected DataSource selectDataSource(String tenant) {
        return tenant.equals("none") ? home : pools.apply(tenant);
    }
}
