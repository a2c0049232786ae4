package io.sagaspring.database;

import io.sagaspring.fence.DatabaseIdentity;
import io.sagaspring.fence.Loop;
import io.sagaspring.tenant.Tenants;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that work on the databases of tenants, one for each database. A thread works in turns, with a pause after
 * each turn.
 */
final class DatabaseThreads {

    private static final Logger logger = LoggerFactory.getLogger(Databases.class);

    /**
     * The time that a turn may take, in addition to the pause between turns, before health reports that the thread of
     * the database hangs.
     */
    private static final Duration SILENCE = Duration.ofMinutes(2);

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Tenants tenants;
    private final Databases.@Nullable Settings settings;
    private final Map<Database, Loop> loops = new HashMap<>();
    private final ExecutorService asking = Executors.newCachedThreadPool(work -> daemon(work, "saga-tenant-asks"));
    private List<Loop> stopped = List.of();
    private List<DatabaseWork> works = List.of();
    private boolean running;

    DatabaseThreads(Tenants tenants, Databases.@Nullable Settings settings) {
        this.tenants = tenants;
        this.settings = settings;
    }

    static Thread daemon(Runnable work, String name) {
        Thread made = new Thread(work, name);
        made.setDaemon(true);
        return made;
    }

    synchronized void start(Collection<? extends DatabaseWork> all, Collection<Database> known) {
        works = List.copyOf(all);
        running = true;
        known.forEach(this::begin);
    }

    synchronized void stop() {
        if (running) {
            running = false;
            stopped = List.copyOf(loops.values());
            List.copyOf(loops.keySet()).forEach(this::end);
        }
    }

    /**
     * Waits for the turns that have begun, until the given {@link System#nanoTime()} at the latest. Interrupts each
     * turn that has not ended then.
     */
    void awaitEnd(long giveUp) {
        try {
            for (Loop each : ended()) {
                if (!each.awaitEnd(Duration.ofNanos(Math.max(0, giveUp - System.nanoTime())))) {
                    each.interrupt();
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized List<Loop> ended() {
        return stopped;
    }

    private synchronized boolean isServed(Database database) {
        return loops.containsKey(database);
    }

    synchronized void begin(Database database) {
        if (!running || settings == null || loops.containsKey(database)) {
            return;
        }
        works.forEach(work -> work.begin(database));
        loops.put(
                database,
                settings.keeper()
                        .loops()
                        .start(
                                new Loop.Settings(
                                        "saga-tenant-" + database.name(),
                                        Duration.ZERO,
                                        settings.turn(),
                                        settings.turn().plus(SILENCE)),
                                () -> turn(database, settings.turn()),
                                failed -> logger.debug("A background task on {} failed", database, failed)));
    }

    synchronized void end(Database database) {
        Loop loop = loops.remove(database);
        if (loop != null && settings != null) {
            settings.keeper().loops().forget(loop);
            works.forEach(work -> work.end(database));
        }
    }

    private synchronized List<DatabaseWork> works() {
        return works;
    }

    private Duration turn(Database database, Duration pause) {
        if (!isListed(database)) {
            // None of the database's tenants is listed any more, so the search for tenants will end this thread soon.
            return pause;
        }
        Throwable failure = null;
        try {
            if (database.trouble() != null) {
                String unused = DatabaseIdentity.of(database.own());
            }
        } catch (Throwable stillDown) {
            failure = stillDown;
        }
        if (failure == null) {
            failure = worked(database);
        }
        database.releaseUnused();
        // Do not report a failure if no tenant of the database is listed any more: the tenants' contexts may be gone.
        if (isServed(database) && (failure == null || isListed(database))) {
            report(database, failure);
        }
        return pause;
    }

    boolean isListed(Database database) {
        return !Collections.disjoint(database.tenants(), tenants.all());
    }

    private @Nullable Throwable worked(Database database) {
        Throwable first = null;
        for (DatabaseWork work : works()) {
            try {
                work.turn(database);
            } catch (Throwable failed) {
                first = first == null ? failed : first;
            }
        }
        return first;
    }

    private static void report(Database database, @Nullable Throwable failure) {
        boolean wasInTrouble = database.trouble() != null;
        database.trouble(failure);
        if (failure != null && !wasInTrouble) {
            logger.error(
                    "A background task on {} failed and will be tried again. The other databases are not affected",
                    database,
                    failure);
        } else if (failure == null && wasInTrouble) {
            logger.info("The background tasks on {} succeed again", database);
        }
    }

    <T> List<T> ask(List<Database> databases, Function<Database, T> question) {
        Map<Database, CompletableFuture<T>> asked = new HashMap<>();
        databases.forEach(each -> asked.put(each, CompletableFuture.supplyAsync(() -> question.apply(each), asking)));
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        List<T> answers = new ArrayList<>();
        for (Map.Entry<Database, CompletableFuture<T>> each : asked.entrySet()) {
            try {
                answers.add(each.getValue().get(Math.max(0, giveUp - System.nanoTime()), TimeUnit.NANOSECONDS));
            } catch (ExecutionException | TimeoutException noAnswer) {
                logger.warn(
                        "A query in {} failed or took too long. The result contains only the data of the other databases",
                        each.getKey(),
                        noAnswer);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return answers;
            }
        }
        return answers;
    }
}
