package io.sagaspring.fence;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** Tests holds that a keeper renews. Only the test changes the time, the rows and the connections. */
abstract class RenewedHolds {

    /** All test classes of this JVM share one database. No class drops it, because it is deleted with its server. */
    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    static final Duration TTL = Duration.ofSeconds(90);
    static final Duration HEARTBEAT = Duration.ofSeconds(30);
    static final Duration MAXIMUM = Duration.ofMinutes(30);

    final AtomicReference<Duration> time = new AtomicReference<>(Duration.ofDays(1));
    final Connections connections = new Connections();
    final Rows rows = new Rows();
    final Keeper keeper = new Keeper(connections, HEARTBEAT, time::get);

    @AfterEach
    void close() {
        keeper.close();
    }

    /** Connections that a test can make unreachable. */
    static final class Connections extends AbstractDataSource {

        volatile boolean broken;
        final AtomicInteger opened = new AtomicInteger();

        @Override
        public Connection getConnection() throws SQLException {
            if (broken) {
                throw new SQLException("Connection refused", "08001");
            }
            opened.incrementAndGet();
            return database.dataSource().getConnection();
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }

    /** A table in which the test decides which leases this node still holds. */
    static class Rows implements KeptTable {

        final Set<FencingToken> mine = new HashSet<>();
        final Set<FencingToken> locked = new HashSet<>();
        boolean broken;
        int breaks;
        int calls;

        /** The number of calls after which no row is locked. */
        int unlockedAfter = Integer.MAX_VALUE;

        @Override
        public Set<FencingToken> renew(Connection connection, Collection<HeldLease> held) throws SQLException {
            if (broken || breaks-- > 0) {
                throw new SQLException("cut off", "08006");
            }
            boolean isUnlocked = calls++ >= unlockedAfter;
            return tokens(held).stream()
                    .filter(token -> mine.contains(token) && (isUnlocked || !locked.contains(token)))
                    .collect(Collectors.toSet());
        }

        @Override
        public Set<FencingToken> stillHeld(Connection connection, Collection<HeldLease> held) {
            return tokens(held).stream().filter(mine::contains).collect(Collectors.toSet());
        }

        private static Set<FencingToken> tokens(Collection<HeldLease> held) {
            return held.stream().map(HeldLease::token).collect(Collectors.toSet());
        }
    }

    Hold keep(long token) {
        rows.mine.add(new FencingToken(token));
        return keeper.keep(rows, new HeldLease("parcel", "7", new FencingToken(token)), TTL, MAXIMUM, time.get());
    }

    void pass(Duration duration) {
        time.updateAndGet(now -> now.plus(duration));
    }
}
