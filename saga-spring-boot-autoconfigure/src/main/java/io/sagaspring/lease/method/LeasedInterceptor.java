package io.sagaspring.lease.method;

import io.sagaspring.lease.Acquisition;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.method.MethodAdvice;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.function.SingletonSupplier;

/** Runs a method under its lease. */
final class LeasedInterceptor extends MethodAdvice<LeasedMethod> {

    private static final Logger logger = LoggerFactory.getLogger(LeasedInterceptor.class);

    private final SingletonSupplier<LeaseManager> leases;

    LeasedInterceptor(LeasedMethods methods, LeasedPostProcessor.Application application) {
        super(methods);
        this.leases = SingletonSupplier.of(application::leases);
    }

    @Override
    protected @Nullable Object around(LeasedMethod method, MethodInvocation invocation) throws Exception {
        LeaseName name = method.leaseName(invocation.getArguments());
        LeaseManager manager = method.of(leases.obtain());
        Lease lease = method.isSkipped() ? acquireIfFree(manager, name, method) : manager.acquire(name);
        if (lease == null) {
            return null;
        }
        try (lease) {
            return lease.during(() -> proceed(invocation));
        }
    }

    private static @Nullable Lease acquireIfFree(LeaseManager manager, LeaseName name, LeasedMethod method) {
        Acquisition answer = manager.tryAcquire(name);
        if (answer instanceof Acquisition.Acquired acquired) {
            return acquired.lease();
        }
        logger.debug("Skipping {} because the lease on '{}' is not free: {}", method.name(), name, answer);
        return null;
    }
}
