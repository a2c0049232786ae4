package io.sagaspring.dashboard;

import io.sagaspring.autoconfigure.NodeName;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.due.DueWork;
import io.sagaspring.idempotency.StoredKeys;
import io.sagaspring.lease.StoredLeases;
import io.sagaspring.listener.Deliveries;
import io.sagaspring.listener.DeliveryStore;
import io.sagaspring.operations.AuditLog;
import io.sagaspring.pause.Pauses;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Sagas;
import io.sagaspring.schedule.Schedules;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.workflow.Workflows;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.env.Environment;

/**
 * The capabilities of the application that the dashboard reads. A capability that is off supplies null. They are
 * looked up at each request, so that the dashboard creates no cycle between beans.
 */
record DashboardSources(
        Supplier<@Nullable Runs> runs,
        Supplier<@Nullable RunEngine> engine,
        Supplier<@Nullable Sagas> sagas,
        Supplier<@Nullable Workflows> workflows,
        Supplier<@Nullable ClaimService> claims,
        Supplier<@Nullable DueWork> work,
        Supplier<@Nullable Deliveries> deliveries,
        Supplier<@Nullable Schedules> schedules,
        Supplier<@Nullable Tenants> tenants,
        Supplier<@Nullable AuditLog> audit,
        Supplier<@Nullable StoredLeases> leases,
        Supplier<@Nullable StoredKeys> keys,
        Supplier<@Nullable RunStore> runStore,
        Supplier<@Nullable DeliveryStore> deliveryStore,
        ListableBeanFactory beans) {

    static DashboardSources of(ListableBeanFactory beans) {
        return new DashboardSources(
                bean(beans, Runs.class),
                bean(beans, RunEngine.class),
                bean(beans, Sagas.class),
                bean(beans, Workflows.class),
                bean(beans, ClaimService.class),
                bean(beans, DueWork.class),
                bean(beans, Deliveries.class),
                bean(beans, Schedules.class),
                bean(beans, Tenants.class),
                bean(beans, AuditLog.class),
                bean(beans, StoredLeases.class),
                bean(beans, StoredKeys.class),
                bean(beans, RunStore.class),
                bean(beans, DeliveryStore.class),
                beans);
    }

    private static <T> Supplier<@Nullable T> bean(ListableBeanFactory beans, Class<T> type) {
        ObjectProvider<T> provider = beans.getBeanProvider(type);
        return provider::getIfAvailable;
    }

    @Nullable
    Pauses pauses() {
        return beans.getBeanProvider(Pauses.class).getIfAvailable();
    }

    /** Returns the name of this node. */
    String node() {
        return beans.getBean(NodeName.class).value();
    }

    /** Returns the version of the application, or null if it is unknown. */
    @Nullable
    String version() {
        return beans.getBean(Environment.class).getProperty("spring.application.version");
    }

    /** Finds the bean with the operations on one kind of object. */
    <T> T operations(Class<T> type) {
        T found = beans.getBeanProvider(type).getIfAvailable();
        if (found == null) {
            throw ProblemException.notFound("The application does not use this capability.");
        }
        return found;
    }

    /** Reads without a current tenant, and so sees the data of every tenant. */
    <T extends @Nullable Object> T ofAllTenants(Supplier<T> reading) {
        Tenants known = tenants.get();
        return known == null ? reading.get() : known.in(null, reading);
    }
}
