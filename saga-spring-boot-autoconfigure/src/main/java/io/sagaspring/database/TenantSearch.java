package io.sagaspring.database;

import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.LogText;
import io.sagaspring.fence.Loop;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks regularly for tenants that are new or gone. Each new tenant is tried on a thread of its own, because its database
 * may not answer. The next tenant waits for that thread only a moment, so that many tenants of one pool are tried one
 * after the other.
 */
final class TenantSearch {

    private static final Logger logger = LoggerFactory.getLogger(Databases.class);

    private static final Duration MOMENT = Duration.ofMillis(200);
    private static final Duration AT_START = Duration.ofSeconds(5);

    private final Databases databases;
    private final Databases.@Nullable Settings settings;
    private final Map<String, CountDownLatch> underWay = new ConcurrentHashMap<>();
    private final Map<String, Throwable> troubles = new ConcurrentHashMap<>();
    private @Nullable Loop loop;
    private boolean started;

    TenantSearch(Databases databases, Databases.@Nullable Settings settings) {
        this.databases = databases;
        this.settings = settings;
    }

    void start() {
        if (settings != null && begin()) {
            long begun = System.nanoTime();
            look(() -> System.nanoTime() - begun < AT_START.toNanos());
            goOn(settings);
        }
    }

    private synchronized boolean begin() {
        boolean begins = !started;
        started = true;
        return begins;
    }

    private synchronized void goOn(Databases.Settings settings) {
        Duration pause = settings.look();
        if (started) {
            loop = settings.keeper()
                    .loops()
                    .start(
                            new Loop.Settings("saga-tenants", Duration.ZERO, pause, null),
                            () -> {
                                look(() -> true);
                                return pause;
                            },
                            failed -> logger.warn(
                                    "Looking for new tenants failed; will try again in {}",
                                    DurationText.of(pause),
                                    failed));
        }
    }

    synchronized void stop() {
        Loop looking = loop;
        loop = null;
        started = false;
        if (looking != null && settings != null) {
            settings.keeper().loops().forget(looking);
            looking.interrupt();
        }
    }

    private synchronized boolean isStarted() {
        return started;
    }

    private void look(BooleanSupplier goOn) {
        List<String> listed = databases.tenants().all();
        List<DatabaseSource> sources = databases.retain(listed);
        troubles.keySet().retainAll(listed);
        for (String tenant : listed) {
            if (!goOn.getAsBoolean()) {
                return;
            }
            if (!sources.stream().allMatch(source -> source.knows(tenant))) {
                CountDownLatch ended = new CountDownLatch(1);
                if (underWay.putIfAbsent(tenant, ended) == null) {
                    attempt(tenant, sources, ended);
                    await(ended, MOMENT);
                }
            }
        }
    }

    /** Waits for the attempts that have begun, because the data sources are about to be closed. */
    void awaitEnd(long giveUp) {
        underWay.values().forEach(each -> await(each, Duration.ofNanos(giveUp - System.nanoTime())));
    }

    private static void await(CountDownLatch ended, Duration patience) {
        try {
            boolean unused = ended.await(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    private void attempt(String tenant, List<DatabaseSource> sources, CountDownLatch ended) {
        Runnable attempt = () -> {
            try {
                databases.tenants().run(tenant, () -> sources.forEach(DatabaseSource::here));
                found(tenant);
            } catch (Throwable failed) {
                failed(tenant, failed);
            } finally {
                underWay.remove(tenant);
                ended.countDown();
            }
        };
        try {
            DatabaseThreads.daemon(attempt, "saga-tenant-search").start();
        } catch (Throwable noThread) {
            underWay.remove(tenant);
            throw noThread;
        }
    }

    private void failed(String tenant, Throwable failure) {
        if (troubles.put(tenant, failure) == null && isStarted()) {
            logger.error(
                    "The database of tenant '{}' cannot be used, so claims of this tenant fail. Other tenants are not affected, and the next attempt follows",
                    LogText.of(tenant),
                    failure);
        }
    }

    void found(String tenant) {
        if (troubles.remove(tenant) != null) {
            logger.info("The database of tenant '{}' can be used again", LogText.of(tenant));
        }
    }

    Map<String, Throwable> troubles() {
        return troubles;
    }
}
