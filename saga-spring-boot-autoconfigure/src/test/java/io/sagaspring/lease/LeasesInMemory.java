package io.sagaspring.lease;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Keeper;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** Base class of tests with leases in memory and a clock that the test sets. */
abstract class LeasesInMemory {

    static final Duration TTL = Duration.ofSeconds(30);
    static final Duration HEARTBEAT = Duration.ofSeconds(10);
    static final LeaseName NAME = LeaseName.of("dunning", "loop-1");

    final AtomicReference<Duration> time = new AtomicReference<>(Duration.ZERO);
    final UnreliableStore store = new UnreliableStore();
    final List<LeaseEvent> events = new CopyOnWriteArrayList<>();

    @AutoClose
    final Keeper keeper = new Keeper(new NoDatabase(), HEARTBEAT, time::get);

    final LeaseManager leases =
            new LeaseManager(store, keeper, "node", TTL, List.of((name, event) -> events.add(event)));

    /** Leases in memory need no connection. */
    static final class NoDatabase extends AbstractDataSource {

        @Override
        public Connection getConnection() throws SQLException {
            throw new SQLException("There is no database.", "08001");
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }

    /** A store that can become unreachable for the keeper. */
    final class UnreliableStore implements LeaseStore {

        private final MemoryLeaseStore memory = new MemoryLeaseStore(time::get, Duration.ofDays(30));
        boolean cut;
        volatile @Nullable CountDownLatch hanging;
        boolean failing;
        Runnable afterAnswer = () -> {};

        @Override
        public Found acquire(LeaseName name, Attempt attempt) {
            Found found = memory.acquire(name, attempt);
            afterAnswer.run();
            return found;
        }

        @Override
        public Optional<Found> find(LeaseName name) {
            return memory.find(name);
        }

        @Override
        public boolean renew(LeaseName name, FencingToken token) {
            return memory.renew(name, token);
        }

        @Override
        public boolean reattach(LeaseName name, FencingToken token, Duration ttl) {
            boolean held = memory.reattach(name, token, ttl);
            afterAnswer.run();
            return held;
        }

        @Override
        public boolean release(LeaseName name, FencingToken token) {
            boolean released = memory.release(name, token);
            afterAnswer.run();
            return released;
        }

        @Override
        public boolean complete(LeaseName name, FencingToken token, Completion completion) {
            if (failing) {
                throw new IllegalStateException("out of order");
            }
            return memory.complete(name, token, completion);
        }

        @Override
        public int purge(int limit) {
            return memory.purge(limit);
        }

        @Override
        public Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) throws Exception {
            CountDownLatch until = hanging;
            if (until != null) {
                until.await();
            }
            if (cut) {
                throw new IOException("cut off");
            }
            return memory.renew(keeper, held);
        }

        @Override
        public Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) {
            return memory.stillHeld(keeper, held);
        }
    }

    void pass(Duration duration) {
        time.updateAndGet(now -> now.plus(duration));
    }
}
