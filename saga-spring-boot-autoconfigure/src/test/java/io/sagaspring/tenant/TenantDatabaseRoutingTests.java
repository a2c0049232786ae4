package io.sagaspring.tenant;

/** Each tenant has a database, to which Spring's routing data source connects. Hibernate is not configured for tenants. */
class TenantDatabaseRoutingTests extends TenantDatabases {

    @Override
    TenantShop open() {
        return open(Routed.class, "test.resolver=false");
    }
}
