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
 * A store that batches all writes while this object is open, because another caller writes directly. The direct writer
 * waits for a connection, and holds nothing that other callers need.
 */
final class Gathering implements AutoCloseable {

    private static final String GATHERED = "gathered";
    private static final ThreadLocal<PausedWriter> pausedWriter = new ThreadLocal<>();
    private static final int MOST_COMMITS = 4;
    private static final long BOUND_IN_SECONDS = 300;

    /** A caller that gets no connection until it is released. */
    private static final class PausedWriter {
        final CompletableFuture<Void> arrived = new CompletableFuture<>();
        final CompletableFuture<Void> released = new CompletableFuture<>();
        final CompletableFuture<Void> finished = new CompletableFuture<>();

        void release() {
            released.complete(null);
            finished.orTimeout(BOUND_IN_SECONDS, SECONDS).join();
        }
    }

    private final class Connections extends DelegatingDataSource {

        Connections(DataSource real) {
            super(real);
        }

        @Override
        public Connection getConnection() throws SQLException {
            PausedWriter mine = pausedWriter.get();
            if (mine == null) {
                return watched(super.getConnection());
            }
            mine.arrived.complete(null);
            mine.released.orTimeout(BOUND_IN_SECONDS, SECONDS).join();
            return super.getConnection();
        }
    }

    private final List<String> batches = new CopyOnWriteArrayList<>();
    private final List<PausedWriter> all = new ArrayList<>();
    private final RunStore store;

    Gathering(RunDatabase database, DataSource connections, String node) throws Exception {
        this.store = database.store(new Connections(connections), node, Commits.SHARED);
        pauseWriter();
    }

    RunStore store() {
        return store;
    }

    /** Returns the batches that were written, without those of paused writers. */
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

    private PausedWriter pauseWriter() throws Exception {
        PausedWriter paused = new PausedWriter();
        Thread thread = new Thread(() -> {
            pausedWriter.set(paused);
            try {
                ControlState unused = store.checkpoint(new RunLease(RunId.next(), new FencingToken(1)), List.of());
            } catch (FencedException expected) {
                // The checkpoint is refused, because its run does not exist.
            } finally {
                paused.finished.complete(null);
            }
        });
        thread.setDaemon(true);
        thread.start();
        all.add(paused);
        paused.arrived.get(BOUND_IN_SECONDS, SECONDS);
        return paused;
    }

    /** Makes all calls in one batch. The calls gather while the maximum number of commits is in progress. */
    <T> List<CompletableFuture<T>> together(List<Supplier<T>> calls) throws Exception {
        List<PausedWriter> commits = new ArrayList<>();
        for (int each = 0; each < MOST_COMMITS; each++) {
            commits.add(pauseWriter());
        }
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        List<CompletableFuture<T>> answers = new ArrayList<>();
        for (Supplier<T> call : calls) {
            answers.add(startCall(call, threads));
        }
        long giveUp = System.nanoTime() + SECONDS.toNanos(BOUND_IN_SECONDS);
        // A waiting caller wakes up occasionally, but stays in the queue. It is enough to see each caller waiting once.
        Set<Thread> notSeenWaiting = new HashSet<>(threads);
        while (notSeenWaiting.removeIf(Gathering::isQueued) || !notSeenWaiting.isEmpty()) {
            if (System.nanoTime() > giveUp) {
                throw new AssertionError("The calls were not gathered: " + threads);
            }
            Thread.onSpinWait();
        }
        for (PausedWriter each : commits) {
            each.release();
        }
        return answers;
    }

    private static <T> CompletableFuture<T> startCall(Supplier<T> call, Set<Thread> threads) {
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

    /** Returns true if the thread makes one of the calls of a batch. */
    static boolean isGathered(Thread thread) {
        return thread.getName().equals(GATHERED);
    }

    private static boolean isQueued(Thread thread) {
        Object blocker = LockSupport.getBlocker(thread);
        return blocker != null && blocker.getClass().getName().startsWith("io.sagaspring.run.postgres.GroupCommit$");
    }

    @Override
    public void close() {
        for (PausedWriter each : all) {
            each.release();
        }
    }
}
