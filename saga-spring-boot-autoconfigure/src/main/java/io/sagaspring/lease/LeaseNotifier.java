package io.sagaspring.lease;

import io.sagaspring.tenant.TenantUnavailableException;
import io.sagaspring.tenant.Tenants;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notifies the listeners for the events of leases, in the context of the lease's tenant. */
final class LeaseNotifier {

    /** The logger of {@link LeaseManager}, so that all messages about leases are logged under one name. */
    private static final Logger logger = LoggerFactory.getLogger(LeaseManager.class);

    private final List<LeaseListener> listeners;
    private final Tenants tenants;

    LeaseNotifier(List<LeaseListener> listeners, Tenants tenants) {
        this.listeners = listeners;
        this.tenants = tenants;
    }

    /** Returns the tenant of the caller, or null. */
    @Nullable
    String tenant() {
        return tenants.current();
    }

    /** Returns a listener that runs in the current tenant, whichever thread calls it. */
    Runnable inThisTenant(Runnable listener) {
        String current = tenants.current();
        return tenants.areNone() ? listener : () -> tenants.run(current, listener);
    }

    void publish(LeaseName name, LeaseEvent event) {
        try {
            tenants.run(name.tenant(), () -> listeners.forEach(each -> notify(each, name, event)));
        } catch (TenantUnavailableException unavailable) {
            logger.warn("Listeners were not notified of event {} of the lease on '{}'", event, name, unavailable);
        }
    }

    private static void notify(LeaseListener listener, LeaseName name, LeaseEvent event) {
        try {
            listener.happened(name, event);
        } catch (Throwable failed) {
            logger.warn("A listener for event {} of the lease on '{}' threw an exception", event, name, failed);
        }
    }
}
