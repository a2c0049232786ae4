package io.sagaspring.tenant;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each tenant has a database, to which Hibernate's provider connects. */
class TenantDatabaseTests extends TenantDatabases {

    @Override
    TenantShop open() {
        return open(Provided.class);
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void nothingIsClaimedIfHibernateWorksForAnotherTenant(Class<?> job) {
        assertNothingIsClaimedForAnotherTenantOfHibernate(job);
    }
}
