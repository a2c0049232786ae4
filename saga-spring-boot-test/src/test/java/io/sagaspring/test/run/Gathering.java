package io.sagaspring.test.run;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A store on which somebody else writes directly, for as long as this is open: all that is written meanwhile is written in
 * batches. Who writes directly waits for a connection, and holds nothing that others need.
 */
final class Gathering implements AutoCloseable {

    private static final String GATHERED = "gathered";
    private static final ThreadLocal<Parked> parking = new ThreadLocal<>();
    private static final int MOST_COMMITS = 4;
    private static final long BOUND_IN_SECONDS = 300;

    /** Somebody who gets no connection until it is let go. */
    private static final class Parked {
        final CompletableFuture<Void> arrived = new CompletableFuture<>();
        final CompletableFuture<Void> letGo = new CompletableFuture<>();
        final CompletableFuture<Void> gone = new CompletableFuture<>();

        void leave() {
            letGo.complete(null);
            gone.orTimeout(BOUND_IN_SECONDS, SECONDS).join();
        }
    }

    private final class Connections extends DelegatingDataSource {

        Connections(DataSource real) {
            super(real);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Parked mine = parking.get();
            if (mine == null) {
                return watched(super.getConnection());
            }
            mine.arrived.complete(null);
            mine.letGo.orTimeout(BOUND_IN_SECONDS, SECONDS).join();
            return super.getConnection();
        }
    }

    private final List<String> batches = new CopyOnWriteArrayList<>();
    private final List<Parked> all = new ArrayList<>();
    private final RunStore store;

    Gathering(RunDatabase database, DataSource connections, String node) throws Exception {
        this.store = database.store(new Connections(connections), node, Commits.SHARED);
        park();
    }

    RunStore store() {
        return store;
    }

    /** The batches that were written, but for those of who was parked. */
    List<String> batches() {
        return batches;
    }

    private Connection watched(Connection real) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, given) -> {
                    if (method.getName().equals("prepareStatement")
                            && given[0].toString().contains("-many */")) {
                        batches.add(given[0].toString());
                    }
                    try {
                        return method.invoke(real, given);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    private Parked park() throws Exception {
        Parked parked = new Parked();
        Thread thread = new Thread(() -> {
            parking.set(parked);
            try {
                ControlState unused = store.checkpoint(new RunLease(RunId.next(), new FencingToken(1)), List.of());
            } catch (FencedException expected) {
                // There is no such run.
            } finally {
                parked.gone.complete(null);
            }
        });
        thread.setDaemon(true);
        thread.start();
        all.add(parked);
        parked.arrived.get(BOUND_IN_SECONDS, SECONDS);
        return parked;
    }

    /** All of them in one batch: they wait for one another while as many commits as there may be are under way. */
    <T> List<CompletableFuture<T>> together(List<Supplier<T>> calls) throws Exception {
        List<Parked> commits = new ArrayList<>();
        for (int each = 0; each < MOST_COMMITS; each++) {
            commits.add(park());
        }
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        List<CompletableFuture<T>> answers = new ArrayList<>();
        for (Supplier<T> call : calls) {
            answers.add(answered(call, threads));
        }
        long giveUp = System.nanoTime() + SECONDS.toNanos(BOUND_IN_SECONDS);
        // A waiting caller wakes up now and then, and stays in the queue: it is enough to have seen each of them wait
        // once.
        Set<Thread> coming = new HashSet<>(threads);
        while (coming.removeIf(Gathering::isQueued) || !coming.isEmpty()) {
            if (System.nanoTime() > giveUp) {
                throw new AssertionError("They were not gathered: " + threads);
            }
            Thread.onSpinWait();
        }
        for (Parked each : commits) {
            each.leave();
        }
        return answers;
    }

    private static <T> CompletableFuture<T> answered(Supplier<T> call, Set<Thread> threads) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                answer.complete(call.get());
            } catch (RuntimeException | Error failed) {
                answer.completeExceptionally(failed);
            }
        });
        thread.setName(GATHERED);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        return answer.orTimeout(BOUND_IN_SECONDS, SECONDS);
    }

    /** Whether it is one of those who wrote together. */
    static boolean isGathered(Thread thread) {
        return thread.getName().equals(GATHERED);
    }

    private static boolean isQueued(Thread thread) {
        Object blocker = LockSupport.getBlocker(thread);
        return blocker != null && blocker.getClass().getName().startsWith("io.sagaspring.run.postgres.GroupCommit$");
    }

    @Override
    public void close() {
        for (Parked each : all) {
            each.leave();
        }
    }
}
