package io.sagaspring.entity;

import io.sagaspring.fence.LogText;
import io.sagaspring.tenant.Tenants;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tenants whose connections answer. At start-up, the connections of any one of them are enough to find the tables.
 * A database that is down must not keep the application from starting, so each tenant's connections are tried on a
 * separate thread and with a time limit.
 */
final class AnsweringTenants {

    private static final Logger logger = LoggerFactory.getLogger(AnsweringTenants.class);

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Tenants tenants;
    private final Set<String> silent = ConcurrentHashMap.newKeySet();

    AnsweringTenants(Tenants tenants) {
        this.tenants = tenants;
    }

    void inAny(Runnable work) {
        for (String tenant : tenants.all()) {
            if (!silent.contains(tenant) && succeeds(tenant, work)) {
                return;
            }
        }
    }

    private boolean succeeds(String tenant, Runnable work) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        tenants.run(tenant, work);
                        ended.complete(null);
                    } catch (Throwable failed) {
                        ended.completeExceptionally(failed);
                    }
                },
                "saga-tenant-start");
        thread.setDaemon(true);
        thread.start();
        try {
            ended.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (ExecutionException | TimeoutException failed) {
            silent.add(tenant);
            logger.warn(
                    "Could not use the connections of tenant '{}' to find the tables of the entities. The library will try the connections of the other tenants",
                    LogText.of(tenant),
                    failed);
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
